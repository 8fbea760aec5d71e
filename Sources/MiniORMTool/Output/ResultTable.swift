import MiniORM

/// How the rows of a query are written.
enum ResultFormat: String, CaseIterable {
  case table, csv, json
}

/// The rows of a query, as text.
struct ResultTable {
  let names: [String]
  let rows: [[DatabaseValue]]

  func text(_ format: ResultFormat) -> String {
    switch format {
    case .table: asTable
    case .csv: asCSV
    case .json: asJSON
    }
  }

  /// Columns side by side, with a line under their names. Numbers stand on the right.
  var asTable: String {
    guard !names.isEmpty else { return "" }
    let cells = rows.map { row in row.map(\.cell) }
    let isNumeric = names.indices.map { column in
      !rows.isEmpty && rows.allSatisfy { $0[column].isNumberOrNull }
    }
    let titles = names.map(\.inOneLine)
    let widths = names.indices.map { column in
      max(titles[column].width, cells.map { $0[column].width }.max() ?? 0)
    }
    func line(_ texts: [String]) -> String {
      var line = ""
      for (column, text) in texts.enumerated() {
        if column > 0 { line += "  " }
        line += text.padded(to: widths[column], atEnd: !isNumeric[column])
      }
      while line.utf8.last == UInt8(ascii: " ") { line.removeLast() }
      return line + "\n"
    }
    let rule = widths.map { String(repeating: "-", count: $0) }
    return line(titles) + line(rule) + cells.map(line).joined()
  }

  /// See [RFC 4180](https://www.rfc-editor.org/rfc/rfc4180).
  var asCSV: String {
    guard !names.isEmpty else { return "" }
    func line(_ fields: [String]) -> String {
      // A line of one empty field would be no record.
      fields.count == 1 && fields[0].isEmpty ? "\"\"\r\n" : fields.joined(separator: ",") + "\r\n"
    }
    return line(names.map(\.csvField))
      + rows.map { row in line(row.map(\.plainText.csvField)) }.joined()
  }

  /// An array with an object for each row. A name that comes a second time gets a number.
  var asJSON: String {
    var keys: [String] = []
    for name in names {
      var key = name
      var number = 1
      while keys.contains(where: { $0.utf8.elementsEqual(key.utf8) }) {
        key = "\(name):\(number)"
        number += 1
      }
      keys.append(key)
    }
    let heads = keys.map { "\($0.jsonText):" }
    let objects = rows.map { row in
      "{" + zip(heads, row).map { $0 + $1.json }.joined(separator: ",") + "}"
    }
    return "[" + objects.joined(separator: ",\n") + "]\n"
  }
}

extension DatabaseValue {
  /// The value as text, a blob in hexadecimal digits; nothing for NULL.
  var plainText: String {
    switch self {
    case .null: ""
    case .integer(let number): "\(number)"
    case .real(let number): number.text
    case .text(let text): text
    case .blob(let bytes): bytes.hexadecimalText
    }
  }

  fileprivate var cell: String {
    switch self {
    case .null: "NULL"
    case .blob(let bytes): "x'\(bytes.hexadecimalText)'"
    default: plainText.inOneLine
    }
  }

  fileprivate var isNumberOrNull: Bool {
    switch self {
    case .null, .integer, .real: true
    case .text, .blob: false
    }
  }

  fileprivate var json: String {
    switch self {
    case .null: "null"
    case .integer, .real: plainText
    case .text, .blob: plainText.jsonText
    }
  }
}

extension Double {
  /// The shortest digits that give the number back. Infinity, for which JSON has no number, is one
  /// beyond all.
  fileprivate var text: String {
    if isInfinite { return self < 0 ? "-9e999" : "9e999" }
    return "\(self)"
  }
}

extension [UInt8] {
  fileprivate var hexadecimalText: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(2 * count)
    for byte in self {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension String {
  /// In quotation marks where it needs them, each mark in it doubled.
  fileprivate var csvField: String {
    let special: Set = [
      UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\r"), UInt8(ascii: "\n"),
    ]
    guard utf8.contains(where: special.contains) else { return self }
    var field = [UInt8(ascii: "\"")]
    for byte in utf8 {
      if byte == UInt8(ascii: "\"") { field.append(byte) }
      field.append(byte)
    }
    return String(decoding: field + [UInt8(ascii: "\"")], as: UTF8.self)
  }

  /// See [RFC 8259](https://www.rfc-editor.org/rfc/rfc8259#section-7).
  fileprivate var jsonText: String {
    var text = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      default:
        // The terminal would take some of those beyond 7F for commands too.
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
