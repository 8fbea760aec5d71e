extension From {
  /// Names a window, for `over(_:)` of window functions and aggregates.
  ///
  /// ```swift
  /// companies.window("city") { WindowDefinition(partitionBy: $0.cityID) }
  /// ```
  /// Define a window before the windows that extend it.
  public func window(_ name: String, as window: (Columns) -> WindowDefinition) -> From {
    var from = distinguished
    let sql = from.calling { window($0).sql }
    from.clauses.windows.append(
      SQL(raw: "\(name.quotedIdentifier) AS (").appending(sql, SQL(raw: ")")))
    return from
  }
}

extension Source {
  /// Names a window, for `over(_:)` of window functions and aggregates.
  public func window(_ name: String, as window: (Columns) -> WindowDefinition) -> From<
    Columns, Output
  > {
    from.window(name, as: window)
  }
}
