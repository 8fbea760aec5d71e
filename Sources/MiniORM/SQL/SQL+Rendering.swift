extension SQL {
  /// The text, with `?` in place of bound values.
  ///
  /// - Complexity: O(*n*) in its length: the text is built each time.
  public var text: String {
    var text = ""
    text.reserveCapacity(256)
    for segment in segments {
      switch segment {
      case .text(let part): text += part
      case .value, .argument: text += "?"
      case .list: text += ValueList.sql
      case .column(let column): text += column.text
      case .table(let source, let name, let alias):
        text += source
        if !alias.hasSameBytes(as: name) { text += " AS \(alias.quotedIdentifier)" }
      case .alias(let name): text += " AS \(name.quotedIdentifier)"
      case .named, .commonName, .open, .close, .commonTable, .problem: break
      }
    }
    return text
  }

  /// The bound values, in order.
  public var bindings: [any ColumnValue] {
    segments.compactMap { segment in
      switch segment {
      case .value(let value): value
      case .list(let list): list
      case .argument(let argument): argument
      default: nil
      }
    }
  }

  /// The number of parameters.
  var parameterCount: Int {
    segments.count { segment in
      switch segment {
      case .value, .list, .argument: true
      default: false
      }
    }
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
    for segment in segments {
      switch segment {
      case .value(let value): text += try DatabaseValue(value).literal
      // The function that returns a list exists on MiniORM's connections alone.
      case .list(let list): text += try list.literal
      case .argument:
        throw .query("The argument of a prepared query has a value only when that is run")
      case .column(let column) where table.map { column.table.folded == $0.folded } ?? false:
        text += qualifier
        text += column.name.quotedIdentifier
      default: text += SQL(segments: [segment]).text
      }
    }
    return text
  }
}
