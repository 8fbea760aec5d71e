extension SQL {
  /// The text, with `?` in place of bound values.
  ///
  /// - Complexity: O(*n*) in its length: the text is built each time.
  public var text: String {
    var count = 0
    forEachText { count += $0.utf8.count }
    // Appending to a String takes five times as long as copying its bytes.
    return String(unsafeUninitializedCapacity: count) { text in
      var end = 0
      forEachText { part in
        let isCopied: Void? = part.utf8.withContiguousStorageIfAvailable { bytes in
          guard let start = bytes.baseAddress, let target = text.baseAddress else { return }
          (target + end).update(from: start, count: bytes.count)
        }
        if isCopied == nil {
          for (index, byte) in part.utf8.enumerated() { text[end + index] = byte }
        }
        end += part.utf8.count
      }
      return end
    }
  }

  /// Calls a closure with each part of the text.
  private func forEachText(_ body: (String) -> Void) { Self.forEachText(parts, body) }

  private static func forEachText(_ segments: [Segment], _ body: (String) -> Void) {
    // By indices, here and below: an iterator copies each segment, which takes longer than its text.
    for index in segments.indices {
      switch segments[index] {
      case .text(let part): body(part)
      case .value, .argument: body("?")
      case .row(let row): body(row.text)
      case .list: body(ValueList.sql)
      case .column(let column): body(column.text)
      case .part(let part): forEachText(part, body)
      case .table(let source, let name, let alias):
        body(source)
        if !alias.hasSameBytes(as: name) { body(" AS " + alias.quotedIdentifier) }
      case .alias(let name): body(" AS " + name.quotedIdentifier)
      case .and: body(" AND ")
      case .named, .commonName, .open, .close, .commonTable, .problem, .reads, .written: break
      }
    }
  }

  private static func forEachText(_ part: SQLPart, _ body: (String) -> Void) {
    guard let left = part.left else { return forEachText(part.segments, body) }
    body("(")
    forEachText(left, body)
    body(" ")
    body(part.name)
    body(" ")
    if let right = part.right { forEachText(right, body) } else { body("?") }
    body(")")
  }

  /// The bound values, in order; NULL for those of a row to insert that cannot be stored.
  public var bindings: [any ColumnValue] {
    var values: [any ColumnValue] = []
    let segments = segments
    for index in segments.indices {
      switch segments[index] {
      case .value(let value): values.append(value)
      case .row(let row):
        let stored = (try? row.segments).map { SQL(segments: $0).bindings }
        values += stored ?? Array(repeating: DatabaseValue.null, count: row.count)
      case .list(let list): values.append(list)
      case .argument(let argument): values.append(argument)
      default: break
      }
    }
    return values
  }

  /// The number of parameters.
  var parameterCount: Int { Self.parameterCount(parts) }

  private static func parameterCount(_ segments: [Segment]) -> Int {
    var count = 0
    for index in segments.indices {
      switch segments[index] {
      case .value, .list, .argument: count += 1
      case .row(let row): count += row.count
      case .part(let part): count += parameterCount(part)
      default: break
      }
    }
    return count
  }

  private static func parameterCount(_ part: SQLPart) -> Int {
    guard let left = part.left else { return parameterCount(part.segments) }
    return parameterCount(left) + (part.right.map(parameterCount) ?? 1)
  }

  /// Returns the text with each value written as a literal, for places where SQLite allows no
  /// parameter.
  /// - Parameters:
  ///   - table: The table whose columns are written with another qualifier, or nil for none.
  ///   - qualifier: What replaces the table's name before their names: nothing, or a row's name and
  ///     a dot.
  func literalText(columnsOf table: String? = nil, qualifiedBy qualifier: String = "")
    throws(DatabaseError) -> String
  {
    if let problem { throw problem }
    var text = ""
    // The user may have written the table's name before a column's, where none may stand.
    let unwanted = qualifier.isEmpty ? table : nil
    var written = ""
    var remaining = 0
    func endWritten() {
      text += unwanted.map { written.removingQualifier($0) } ?? written
      written = ""
    }
    for segment in segments {
      if remaining > 0 {
        remaining -= 1
        if case .text(let part) = segment {
          written += part
          continue
        }
      }
      if !written.isEmpty { endWritten() }
      switch segment {
      case .written(let sql): remaining = max(remaining, sql.segments.count)
      case .value(let value): text += try DatabaseValue(value).literal
      // The function that returns a list exists on MiniORM's connections alone.
      case .list(let list): text += try list.literal
      case .row(let row): text += try SQL(segments: row.segments).literalText()
      case .argument:
        throw .query("The argument of a prepared query has a value only when that is run")
      case .column(let column) where table.map { column.table.folded == $0.folded } ?? false:
        text += qualifier
        text += column.name.quotedIdentifier
      default: text += SQL(segments: [segment]).text
      }
    }
    endWritten()
    return text
  }
}
