import CSQLCipher

/// The progress of a copy or of a check.
package final class CopyProgress {
  /// The steps with their shares of the total time, measured with a file of 200 MB.
  enum Step {
    case writing, comparing, checking, codes
    /// The steps of a check. A plain file has no codes.
    case pages
    case structure(hasCodes: Bool)

    fileprivate var part: ClosedRange<Double> {
      switch self {
      case .writing: 0...0.25
      case .comparing: 0.25...0.5
      case .checking: 0.5...0.9
      case .codes: 0.9...0.99
      case .pages: 0...0.4
      case .structure(let hasCodes): (hasCodes ? 0.4 : 0)...0.99
      }
    }
  }

  private let copy: String
  private let total: Int64
  private let report: (@Sendable (Double) -> Void)?
  private var step = Step.writing
  private var last = 0.0
  private var before: Int32 = 0
  private var database: OpaquePointer?

  var isFile: Bool { DatabaseFile.isFile(copy) }

  init(_ copy: String, total: Int64, report: (@Sendable (Double) -> Void)?) {
    self.copy = copy
    self.total = max(1, total)
    self.report = report
  }

  /// Runs a closure that is interrupted if the task is cancelled or its time limit passes.
  /// - Parameter period: The number of instructions between two looks, or of pages that an
  ///   integrity check reads.
  func watching<Result>(
    _ database: OpaquePointer, every period: Int32 = 20_000,
    _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    self.database = database
    sqlite3_progress_handler(
      database, period,
      { progress in
        guard let progress else { return 0 }
        return CallbackContext<CopyProgress>.object(progress).look() ? 0 : 1
      }, CallbackContext.borrowed(self))
    defer {
      sqlite3_progress_handler(database, 0, nil, nil)
      self.database = nil
    }
    return try body()
  }

  func begin(_ step: Step) {
    self.step = step
    before = pagesRead
    say(step.part.lowerBound)
  }

  /// Reports the done part of the step.
  func reach(_ done: Double) {
    let part = step.part
    say(part.lowerBound + (part.upperBound - part.lowerBound) * min(1, done))
  }

  private func look() -> Bool {
    if report != nil { reach(done) }
    return Ending.error == nil
  }

  private var done: Double {
    switch step {
    case .writing: Double(DatabaseFile.size(copy)) / Double(total)
    // Reads both files, and the copy twice. Assumes pages of 4 KiB. A check reads the pages of each
    // tree, and then the rows.
    case .comparing, .structure: Double(pagesRead &- before) * 2_048 / Double(total)
    case .checking: Double(pagesRead &- before) * 4_096 / Double(total)
    case .codes, .pages: 0
    }
  }

  private var pagesRead: Int32 {
    SQLiteLibrary.status(SQLITE_DBSTATUS_CACHE_MISS, of: database)
  }

  private func say(_ fraction: Double) {
    guard let report, fraction - last >= 0.01 else { return }
    last = fraction
    report(fraction)
  }
}
