/// A reader that turns the rows of a statement into values.
///
/// `@Selection` creates one in the module of its struct, where the compiler specializes it: one of
/// its closures is called for a query, and none for a row.
public struct RowReader<Output>: Sendable {
  @usableFromInline
  let all: @Sendable (_ statement: consuming Statement) throws(DatabaseError) -> [Output]
  @usableFromInline
  let one: @Sendable (_ statement: consuming Statement) throws(DatabaseError) -> Output?
  @usableFromInline
  let each:
    @Sendable (_ statement: consuming Statement, _ body: (Output) throws -> Void) throws -> Void

  /// Creates a reader for a projection.
  /// - Parameter projection: The expression, or the columns.
  @inlinable
  public init<P: Projection>(_ projection: P) where P.Projected == Output {
    all = { (statement: consuming Statement) throws(DatabaseError) -> [Output] in
      var rows: [Output] = []
      guard try statement.step() else { return rows }
      let layout = RowLayout(statement.pointer)
      repeat { rows.append(try statement.read(projection, layout)) } while try statement.step()
      return rows
    }
    one = { (statement: consuming Statement) throws(DatabaseError) -> Output? in
      guard try statement.step() else { return nil }
      return try statement.read(projection, RowLayout(statement.pointer))
    }
    each = { (statement: consuming Statement, body: (Output) throws -> Void) throws -> Void in
      guard try statement.step() else { return }
      let layout = RowLayout(statement.pointer)
      repeat { try body(try statement.read(projection, layout)) } while try statement.step()
    }
  }
}

extension Statement {
  /// Returns the value projected from the statement's current row.
  @inlinable
  func read<P: Projection>(_ projection: P, _ layout: RowLayout) throws(DatabaseError)
    -> P.Projected
  {
    do throws(DatabaseError) {
      return try P.read(projection, from: Row(pointer, layout), at: 0)
    } catch {
      throw error.adding(rowType: String(describing: P.Projected.self))
    }
  }
}
