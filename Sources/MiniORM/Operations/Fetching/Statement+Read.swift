// Inlinable: in the caller's module, the code is specialized for the model, and reads a cell
// without a call through a witness table.
extension Statement {
  @inlinable
  consuming func fetchAll<T: Model>(_ type: T.Type) throws(DatabaseError) -> [T] {
    var rows: [T] = []
    guard try step() else { return rows }
    repeat { rows.append(try read(type)) } while try step()
    return rows
  }

  @inlinable
  consuming func fetchOne<T: Model>(_ type: T.Type) throws(DatabaseError) -> T? {
    guard try step() else { return nil }
    return try read(type)
  }

  @inlinable
  func read<T: Model>(_ type: T.Type) throws(DatabaseError) -> T {
    do throws(DatabaseError) {
      return try T(row: Row(pointer))
    } catch {
      throw error.adding(table: T.schema.name, rowType: String(describing: type))
    }
  }

  /// - Throws: ``DatabaseError`` for a column that is missing or occurs twice.
  func positions<T: Selection>(of type: T.Type) throws(DatabaseError) -> [Int32] {
    var found: [ExactText: Int32] = [:]
    var repeated: [ExactText: Int32] = [:]
    for index in (0..<columnCount).reversed() {
      let name = columnName(index).folded
      repeated[name] = found.updateValue(index, forKey: name)
    }
    var positions: [Int32] = []
    for key in T.Columns.keys {
      guard let index = found[key.folded] else {
        throw T.adding(
          to: DatabaseError(
            .read, code: .range,
            "The result has no column \(key.name): select all columns of the type",
            sql: Self.sql(pointer), column: key.name))
      }
      if let second = repeated[key.folded] {
        throw T.adding(
          to: DatabaseError(
            .read, code: .range,
            "The columns \(index + 1) and \(second + 1) of the result are both named \(key.name): "
              + "select one of them, or rename one with AS",
            sql: Self.sql(pointer), column: key.name))
      }
      positions.append(index)
    }
    return positions
  }

  consuming func fetchAllByName<T: Selection>(_ type: T.Type) throws(DatabaseError) -> [T] {
    var rows: [T] = []
    guard try step() else {
      _ = try positions(of: type)
      return rows
    }
    // The first step recompiles the statement if the schema has changed, so names are matched after
    // it.
    let positions = try positions(of: type)
    repeat {
      let result = positions.withUnsafeBufferPointer { positions -> Result<T, DatabaseError> in
        do throws(DatabaseError) {
          return .success(try T(row: Row(pointer, positions: positions)))
        } catch {
          return .failure(T.adding(to: error))
        }
      }
      rows.append(try result.get())
    } while try step()
    return rows
  }

  /// Matches columns by position.
  /// - Throws: ``DatabaseError`` if the number of columns differs.
  func forEachRow(
    of count: Int, as type: any Any.Type, _ body: () throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    let isThere = try step()
    // The first step recompiles the statement if the schema has changed, so columns are counted
    // after it.
    guard Int(columnCount) == count else {
      throw DatabaseError(
        .read, code: .range,
        "The result has \(columnCount) column\(columnCount == 1 ? "" : "s"), but \(count) \(count == 1 ? "is" : "are") read: select the columns that the type reads",
        sql: Self.sql(pointer), rowType: "\(type)")
    }
    guard isThere else { return }
    repeat {
      do throws(DatabaseError) { try body() } catch { throw error.adding(rowType: "\(type)") }
    } while try step()
  }

  /// Returns the first column of the first row, or nil if there is no row.
  consuming func firstValue<Value: ColumnValue>(_ type: Value.Type) throws(DatabaseError) -> Value?
  {
    guard try step() else { return nil }
    return try Value(cell: Cell(pointer, 0))
  }

  func value<Value: ColumnValue>(_ type: Value.Type, at index: inout Int32) throws(DatabaseError)
    -> Value
  {
    defer { index += 1 }
    return try Value(cell: Cell(pointer, index))
  }
}
