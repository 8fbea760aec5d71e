extension TransactionWatch {
  func recordingReads<Result, Failure>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> (Result, ReadSet) {
    reading = []
    defer { reading = nil }
    let result = try body()
    let statements = reading ?? []
    reading = nil
    var reads = ReadSet()
    var seen: Set<ObjectIdentifier> = []
    for (statement, chosen) in statements {
      if let chosen, let rows = statement.access.reads(chosen, askedBy: authorizer) {
        reads.formUnion(rows)
      } else if seen.insert(ObjectIdentifier(statement)).inserted {
        reads.formUnion(statement.access.reads(askedBy: authorizer))
      }
    }
    return (result, reads)
  }

  var isRecording: Bool { reading != nil }

  func choose(_ chosen: ChosenRows?, by statement: PreparedStatement) {
    guard let last = reading?.indices.last, reading?[last].statement === statement else { return }
    reading?[last].chosen = chosen
  }
}
