extension SQL {
  /// The text, with `?` in place of bound values.
  ///
  /// - Complexity: O(*n*) in the length of the text, which is built on each access.
  public var text: String { RenderedSQL(self).text }

  /// The bound values, in order. A row that cannot be stored gives NULL for each value.
  public var bindings: [any ColumnValue] { RenderedSQL(self).parameters.flatMap(\.values) }

  var parameterCount: Int { RenderedSQL(self).parameterCount }

  /// Literals replace values where SQLite allows no parameter.
  /// - Parameters:
  ///   - table: The table whose columns get the qualifier; nil for no table.
  ///   - qualifier: Replaces the table's name: empty, or a row's name and a dot.
  func literalText(columnsOf table: String? = nil, qualifiedBy qualifier: String = "")
    throws(DatabaseError) -> String
  {
    if let problem { throw problem }
    var text = ""
    // Raw SQL may qualify a column with the table's name, which is not allowed here.
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
      case .parameter(let parameter): text += try parameter.literal
      case .name(.column(let column)) where table.map { column.table.folded == $0.folded } ?? false:
        text += qualifier
        text += column.name.quotedIdentifier
      case .note(.written(let sql)): remaining = max(remaining, sql.segments.count)
      case .text, .name, .operation, .and, .note: text += SQL(segments: [segment]).text
      }
    }
    endWritten()
    return text
  }

  func withStoredRows(_ failure: inout DatabaseError?) -> SQL {
    var sql = SQL(segments: [])
    for segment in parts {
      guard case .parameter(.row(let row)) = segment else {
        sql.append(segment)
        continue
      }
      do throws(DatabaseError) {
        for segment in try row.segments { sql.append(segment) }
      } catch {
        failure = failure ?? error
        sql.append(row.text)
      }
    }
    return sql
  }
}

extension SQLParameter {
  fileprivate var literal: String {
    get throws(DatabaseError) {
      switch self {
      case .value(let value): return try DatabaseValue(storing: value).literal
      // The function that returns a list exists only on connections of MiniORM.
      case .list(let list): return try list.literal
      case .argument:
        throw .query(PreparedArgument.noValue)
      case .row(let row): return try SQL(segments: row.segments).literalText()
      }
    }
  }
}
