import MiniORM

enum ResultFormat: String, CaseIterable {
  case table, line, csv, json
}

enum CSVText {
  /// Texts as stored.
  case exact
  /// Texts without control characters that a terminal would interpret.
  case terminal
  /// As `terminal`, and without texts that a spreadsheet would run as formulas.
  case spreadsheet
}

/// Writes rows as text. Without columns, the text is empty.
struct RowWriter {
  private let format: ResultFormat
  private let csvText: CSVText
  private var names: [String] = []
  /// The text before each value of a JSON object.
  private var keys: [String] = []
  /// The rows that determine the column widths of a table, not yet written.
  private var waiting: [[DatabaseValue]] = []
  private let width: Int?
  private var columns: [(width: Int, isNumeric: Bool)]?
  private var isFirst = true

  /// The number of rows that determine the column widths. Later values may be wider.
  private static let limit = 1_000

  /// - Parameter width: The width to which the lines of a table are cut.
  init(_ format: ResultFormat, _ csvText: CSVText = .exact, width: Int? = nil) {
    (self.format, self.csvText, self.width) = (format, csvText, width)
  }

  static func text(_ format: ResultFormat, _ names: [String], _ rows: [[DatabaseValue]]) -> String {
    var writer = RowWriter(format)
    writer.begin(names)
    return rows.map { writer.add($0) }.joined() + writer.end()
  }

  mutating func begin(_ names: [String]) {
    self.names = names
    // A repeated name gets a number. Names are compared by bytes.
    var taken: Set<ExactText> = []
    var numbers: [ExactText: Int] = [:]
    keys = names.map { name in
      var key = name
      while !taken.insert(ExactText(key)).inserted {
        numbers[ExactText(name), default: 0] += 1
        key = "\(name):\(numbers[ExactText(name), default: 0])"
      }
      return "\(key.jsonText):"
    }
  }

  /// - Returns: The text to write now.
  mutating func add(_ row: [DatabaseValue]) -> String {
    guard !names.isEmpty else { return "" }
    defer { isFirst = false }
    switch format {
    case .table:
      if columns != nil { return line(row.map(\.cell)) }
      waiting.append(row)
      return waiting.count < Self.limit ? "" : head()
    case .line:
      let width = names.map(\.inOneLine.width).max() ?? 0
      return (isFirst ? "" : "\n")
        + zip(names, row).map { name, value in
          name.inOneLine.padded(to: width, atEnd: false) + " = \(value.cell)\n"
        }.joined()
    case .csv:
      return (isFirst ? csvHead : "") + Self.record(row.map { $0.csvField(csvText) })
    case .json:
      return (isFirst ? "[" : ",\n") + "{"
        + zip(keys, row).map { $0 + $1.json }.joined(separator: ",")
        + "}"
    }
  }

  /// - Returns: The text to write after the last row.
  mutating func end() -> String {
    guard !names.isEmpty else { return "" }
    return switch format {
    case .table: columns == nil ? head() : ""
    case .line: ""
    case .csv: isFirst ? csvHead : ""
    case .json: (isFirst ? "[" : "") + "]\n"
    }
  }

  // MARK: Tables

  private mutating func head() -> String {
    let cells = waiting.map { row in row.map(\.cell) }
    let titles = names.map(\.inOneLine)
    let columns = names.indices.map { column in
      let width = max(titles[column].width, cells.map { $0[column].width }.max() ?? 0)
      let isNumeric = !waiting.isEmpty && !waiting.contains { $0[column].isTextOrBlob }
      return (width: width, isNumeric: isNumeric)
    }
    self.columns = columns
    waiting = []
    let rule = columns.map { String(repeating: "-", count: $0.width) }
    return line(titles) + line(rule) + cells.map(line).joined()
  }

  private func line(_ texts: [String]) -> String {
    var line = zip(texts, columns ?? []).map { $0.padded(to: $1.width, atEnd: !$1.isNumeric) }
      .joined(separator: "  ")
    while line.utf8.last == UInt8(ascii: " ") { line.removeLast() }
    if let width, line.width > width {
      while line.width >= width { line.removeLast() }
      line += "…"
    }
    return line + "\n"
  }

  // MARK: CSV

  private var csvHead: String { Self.record(names.map { $0.csvField(csvText) }) }

  /// See [RFC 4180](https://www.rfc-editor.org/rfc/rfc4180).
  private static func record(_ fields: [String]) -> String {
    // A single empty field would make an empty line.
    fields.count == 1 && fields[0].isEmpty ? "\"\"\r\n" : fields.joined(separator: ",") + "\r\n"
  }
}

extension DatabaseValue {
  /// The value as text. A BLOB is written in hexadecimal digits, and NULL as an empty text.
  var plainText: String {
    switch self {
    case .null: ""
    case .integer(let number): "\(number)"
    // The shortest digits that convert back to the number. JSON has no infinity: it becomes a number
    // that overflows.
    case .real(let number): number.isInfinite ? (number < 0 ? "-9e999" : "9e999") : "\(number)"
    case .text(let text): text
    case .blob(let bytes): bytes.hexadecimal
    }
  }

  fileprivate func csvField(_ csvText: CSVText) -> String {
    // Numbers are not formulas, even with a sign.
    if case .text(let text) = self { return text.csvField(csvText) }
    return plainText.csvField(.exact)
  }

  fileprivate var cell: String {
    switch self {
    case .null: "NULL"
    case .blob(let bytes): "x'\(bytes.hexadecimal)'"
    default: plainText.inOneLine
    }
  }

  fileprivate var isTextOrBlob: Bool {
    switch self {
    case .null, .integer, .real: false
    case .text, .blob: true
    }
  }

  fileprivate var json: String {
    self == .null ? "null" : isTextOrBlob ? plainText.jsonText : plainText
  }
}

extension String {
  fileprivate func csvField(_ csvText: CSVText) -> String {
    guard csvText == .exact else {
      let isFormula = csvText == .spreadsheet && beginsFormula
      return ((isFormula ? "'" : "") + printable).csvField(.exact)
    }
    return utf8.contains { ",\"\r\n".utf8.contains($0) } ? quotedIdentifier : self
  }

  /// True if a spreadsheet may run the text as a formula, also after spaces and with fullwidth
  /// characters.
  ///
  /// See [CSV injection](https://owasp.org/www-community/attacks/CSV_Injection).
  private var beginsFormula: Bool {
    let first = unicodeScalars.first { !$0.properties.isWhitespace && !$0.isControl }
    guard let scalar = unicodeScalars.first else { return false }
    return ["\t", "\r", "\n"].contains(scalar)
      || first.map { "=+-@|%＝＋－＠".unicodeScalars.contains($0) } ?? false
  }

  /// The text as a JSON string. See [RFC 8259](https://www.rfc-editor.org/rfc/rfc8259#section-7).
  var jsonText: String {
    var text = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      default:
        // Terminals also interpret the control characters from 7F to 9F.
        guard scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value) else {
          text.unicodeScalars.append(scalar)
          continue
        }
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return text + "\""
  }
}
