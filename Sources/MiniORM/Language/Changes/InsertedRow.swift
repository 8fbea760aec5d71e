final class InsertedRow: InsertedValues {
  private let row: any Insertable
  private let insertion: Insertion
  private let table: TableSchema

  init(
    _ row: consuming any Insertable, _ insertion: consuming Insertion,
    into table: consuming TableSchema
  ) {
    self.row = row
    self.insertion = insertion
    self.table = table
  }

  var count: Int { insertion.columns.count }
  var text: String { insertion.row }

  func bind(to statement: borrowing Statement, at first: Int32) throws(DatabaseError) {
    do throws(DatabaseError) {
      try row.bind(to: statement, at: first)
    } catch {
      throw error.adding(table: table.name, rowType: String(describing: type(of: row)))
    }
  }

  var segments: [SQL.Segment] {
    get throws(DatabaseError) {
      let columns = insertion.columns
      let rows = try EchoDatabase.values(count: columns.count, of: CollectionOfOne(self)) {
        (row, statement) throws(DatabaseError) in try row.bind(to: statement, at: 1)
      }
      let values = zip(columns, rows.first ?? []).map { column, value in
        insertion.isDraft ? column.drafted(value) : SQL(binding: value)
      }
      return SQL.list(values).segments
    }
  }
}

extension ColumnSchema {
  fileprivate func drafted(_ value: DatabaseValue) -> SQL {
    let sql = SQL(binding: value)
    guard isDefaultedByDatabase else { return sql }
    return .call("ifnull", [sql, SQL(raw: "(\(defaultSQL ?? "NULL"))")])
  }
}
