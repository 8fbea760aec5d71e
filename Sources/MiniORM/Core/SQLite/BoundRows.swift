/// The rows of a table-valued function: the values of `IN`, or the rows of a change of many rows,
/// which are converted when SQLite reads them.
final class BoundRows {
  static let moduleName = "miniorm_rows"
  /// SQLite allows 2,000 columns, and one is the function's argument.
  static let maximumWidth = 1_999
  static let columns = (0..<maximumWidth).map { "c\($0)" }.joined(separator: ", ")
  private static let partCount = 128

  static func column(_ index: Int) -> String { "\(moduleName).c\(index)" }

  let count: Int
  private let width: Int
  /// The values of some rows, and the position of the first of these rows.
  private var values: [DatabaseValue]
  private var first = 0
  private let next: (_ isStart: Bool) throws(DatabaseError) -> [DatabaseValue]

  /// Creates rows of one value each.
  init(_ values: [DatabaseValue]) {
    self.values = values
    (count, width) = (values.count, 1)
    next = { (_) throws(DatabaseError) in [] }
  }

  init<Rows: Collection>(
    _ rows: Rows, width: Int,
    bind: @escaping (Rows.Element, borrowing Statement) throws(DatabaseError) -> Void
  ) {
    (count, self.width, values) = (rows.count, width, [])
    var rest = rows[...]
    next = { (isStart) throws(DatabaseError) in
      if isStart { rest = rows[...] }
      let part = rest.prefix(Self.partCount)
      rest = rest.dropFirst(Self.partCount)
      return try EchoDatabase.values(count: width, of: part, bind: bind).flatMap { $0 }
    }
  }

  /// Returns a value, or nil if a row cannot be converted. Rows are read in order, from the first.
  func value(_ row: Int, _ column: Int) -> DatabaseValue? {
    guard column < width else { return .null }
    if row < first || (row - first) * width >= values.count {
      let isStart = row == 0
      let end = first + values.count / width
      guard isStart || row == end, let part = try? next(isStart) else { return nil }
      (first, values) = (row, part)
    }
    let index = (row - first) * width + column
    return index < values.count ? values[index] : nil
  }
}
