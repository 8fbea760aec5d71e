import MiniORM

/// A file's views, triggers and virtual tables, as objects of the schema.
struct ModelObjects {
  private(set) var notes: [(kind: String, name: String, text: String)] = []
  private var candidates: [Candidate] = []

  /// The declarations, a list of lines each.
  var declarations: [[String]] { candidates.map(\.lines) }

  private struct Candidate {
    let kind: String
    let name: String
    let isDeclared: Bool
    let lines: [String]
    /// The names in the SQL.
    let uses: Set<ExactText>

    init(_ kind: String, _ name: String, _ sql: String, _ isDeclared: Bool, own: String? = nil) {
      (self.kind, self.name, self.isDeclared) = (kind, name, isDeclared)
      lines = own.map { [$0] } ?? Self.declaration(sql)
      uses = Set(SQLToken.all(in: sql).lazy.filter(\.isName).map(\.unquoted.folded))
    }

    private static func declaration(_ sql: String) -> [String] {
      let lines = sql.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      guard lines.count > 1 else { return ["SQLObject(\(SwiftName.literal(sql)))"] }
      return ["SQLObject(", "  \"\"\""]
        + lines.map { line in
          let text = SwiftName.literal(line).dropFirst().dropLast()
          return text.isEmpty ? "" : "  \(text)"
        } + ["  \"\"\")"]
    }
  }

  init(_ contents: FileContents, listed: Set<ExactText>, _ virtual: [VirtualTableModel]) {
    let models = Dictionary(
      virtual.map { ($0.name.folded, $0) }, uniquingKeysWith: { first, _ in first })
    let triggers = contents.triggers.map { Candidate("trigger", $0.name, $0.sql, $0.isDeclared) }
    var missing: Set<ExactText> = []
    for object in contents.objects {
      let name = object.name.folded
      let model = models[name]
      let isListed =
        switch object.kind {
        case .table: listed.contains(name)
        case .view: object.problem == nil
        case .virtualTable: model != nil
        }
      guard isListed else {
        missing.insert(name)
        continue
      }
      guard object.kind != .table else { continue }
      if model?.owner != nil, !triggers.contains(where: { $0.uses.contains(name) }) {
        notes.append(
          (
            object.kind.rawValue, object.name,
            "no trigger of the file updates this index: insert into it, or rebuild it, after "
              + "each change"
          ))
      }
      candidates.append(
        Candidate(
          object.kind.rawValue, object.name, object.sql, object.isDeclared,
          own: model?.own?.declaration))
    }
    let own = virtual.reduce(into: Set()) { $0.formUnion($1.own?.triggers ?? []) }
    candidates += triggers.filter { !own.contains($0.name.folded) }
    leaveOut(using: missing)
  }

  /// Leaves out objects that use an object outside of the schema: a new file would lack it.
  private mutating func leaveOut(using missing: Set<ExactText>) {
    var missing = missing
    while let index = candidates.firstIndex(where: { candidate in
      !missing.isDisjoint(with: candidate.uses.subtracting([candidate.name.folded]))
    }) {
      let candidate = candidates.remove(at: index)
      let used = candidate.uses.intersection(missing).sorted().map(\.string)
      notes.append(
        (
          candidate.kind, candidate.name,
          "not in the schema, because its SQL names \(used.joined(separator: ", ")), which is not in "
            + "the schema"
            + (candidate.isDeclared ? ": migrate drops it, unless your program lists it" : "")
        ))
      if candidate.kind != "trigger" { missing.insert(candidate.name.folded) }
    }
  }
}
