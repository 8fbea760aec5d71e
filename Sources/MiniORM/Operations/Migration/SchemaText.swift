/// The schema of a file as text: the version, the steps, every statement, and the format of each
/// column as a comment.
///
/// ```sql
/// -- Schema version 2
/// -- Step 2: names in one column
/// -- Checksum: 3f1c09aa62b0d4e7
///
/// CREATE TABLE "chore" (
///   "id" INTEGER PRIMARY KEY NOT NULL, -- int64
///   "due" TEXT -- date
/// ) STRICT;
/// ```
package enum SchemaText {
  package static let version = "-- Schema version "
  package static let step = "-- Step "
  package static let checksum = "-- Checksum: "
  /// The comment before an object that MiniORM has not created.
  package static let foreign = "-- Created by another program"

  /// Returns a checksum of the text without the line of the checksum. Line ends and indentation do
  /// not matter.
  package static func checksum(of text: String) -> String {
    let lines = text.split(whereSeparator: \.isNewline).filter { !$0.utf8.starts(with: checksum.utf8) }
    // The hash ignores comments, so the marks of comments are removed.
    let hash = SchemaHash.of(lines.joined(separator: "\n").replacing("--", with: " "))
    let digits = String(UInt64(bitPattern: hash), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// The parts of a CREATE TABLE statement, without comments and line breaks.
  package struct Table {
    /// The text before the parenthesis.
    package var head = ""
    /// The columns and constraints, each with the comment behind it.
    package var declarations: [(text: String, comment: String?)] = []
    /// The text after the parenthesis.
    package var options = ""

    package init(_ sql: String) {
      let tokens = SQLToken.all(in: sql)
      let open = tokens.firstIndex { $0.isSymbol("(") } ?? tokens.endIndex
      let close = tokens[open...].matchingClose ?? tokens.endIndex
      head = SchemaText.line(tokens[..<open], sql)
      options = SchemaText.line(tokens[min(close + 1, tokens.endIndex)...], sql)
      var (start, depth) = (open + 1, 0)
      for index in tokens.indices where index > open && index <= close {
        let token = tokens[index]
        if index == close || (depth == 0 && token.isSymbol(",")) {
          // The comment stands behind the comma, or before the parenthesis.
          let before = index == close ? tokens[index - 1] : token
          let end = index == close ? token.range.lowerBound : tokens[index + 1].range.lowerBound
          let gap = sql.part(before.range.upperBound..<max(before.range.upperBound, end))
          let line = gap.split(whereSeparator: \.isNewline).first { $0.contains("-- ") }
          declarations.append(
            (
              SchemaText.line(tokens[start..<index], sql),
              line.map { String($0.split(separator: "-- ", maxSplits: 1).last ?? "") }
            ))
          start = index + 1
        } else if token.isSymbol("(") {
          depth += 1
        } else if token.isSymbol(")") {
          depth -= 1
        }
      }
    }

    /// The statement as MiniORM writes it.
    package var sql: String { text { _ in nil } }

    func text(comment: (Int) -> String?) -> String {
      let lines = declarations.indices.map { index in
        declarations[index].text + (index == declarations.count - 1 ? "" : ",")
          + (comment(index).map { " -- \($0)" } ?? "")
      }
      return "\(head) (\n  \(lines.joined(separator: "\n  "))\n)"
        + (options.isEmpty ? "" : " \(options)")
    }
  }

  /// Joins tokens on a single line. Spaces without a line break or a comment are kept.
  private static func line(_ tokens: ArraySlice<SQLToken>, _ sql: String) -> String {
    var (text, end) = ("", tokens.first?.range.lowerBound ?? 0)
    for token in tokens {
      let gap = sql.part(end..<token.range.lowerBound)
      text += gap.utf8.allSatisfy { $0 == UInt8(ascii: " ") } ? gap : " "
      text += sql.part(token.range)
      end = token.range.upperBound
    }
    return text
  }
}

extension Connection {
  /// Returns the schema of the file as ``SchemaText``. Equal schemas have equal texts, except for
  /// the order of a table's columns.
  package func schemaText() throws(DatabaseError) -> String {
    let state = try migrationState()
    let file = state.file
    let objects = file.objects.filter { !$0.sql.isEmpty }.sorted {
      $0.name.folded < $1.name.folded
    }
    let shadows = Set(
      objects.filter { $0.type == "table" }.flatMap {
        VirtualTable($0.name, sql: $0.sql).shadowTables.map(\.folded)
      })
    func text(_ object: FileSchema.Object) -> String {
      let isPlainTable = object.type == "table" && object.root != 0
      let mark =
        isPlainTable || file.records.contains(object) ? "" : SchemaText.foreign + "\n"
      guard isPlainTable, let definition = try? TableDefinition(parsing: object.sql) else {
        return mark + object.sql + ";"
      }
      let formats = file.records.formats(in: object)
      return mark
        + SchemaText.Table(object.sql).text { index in
          guard definition.columns.indices.contains(index) else { return nil }
          return formats[definition.columns[index].key]?.format.description
        } + ";"
    }
    var parts: [String] = []
    for table in objects where table.type == "table" && !shadows.contains(table.name.folded) {
      let indexes = objects.filter {
        $0.type == "index" && $0.table.folded == table.name.folded
      }
      parts.append(([table] + indexes).map(text).joined(separator: "\n"))
    }
    parts += objects.filter { $0.type == "view" }.map(text)
    parts += objects.filter { $0.type == "trigger" }.map(text)
    let steps = state.history?.steps ?? [:]
    let head =
      ["\(SchemaText.version)\(state.version)"]
      + steps.sorted { $0.key < $1.key }.map { version, name in
        "\(SchemaText.step)\(version): "
          + name.split(whereSeparator: \.isNewline).joined(separator: " ")
      }
    let rest = parts.map { "\n\n" + $0 }.joined() + "\n"
    let checksum = SchemaText.checksum(of: head.joined(separator: "\n") + rest)
    return (head + [SchemaText.checksum + checksum]).joined(separator: "\n") + rest
  }
}
