/// An R*Tree index on boxes or points, which triggers keep up to date with a model's columns, or a
/// table of boxes only.
///
/// ```swift
/// let places = Table<Place>()
/// let map = SpatialIndex("place_map", of: Place.self) { [.at($0.longitude), .at($0.latitude)] }
/// try await database.migrate(DatabaseSchema(Place.self, objects: [map]))
/// let near = try await places.overlapping([3.9...4.2, 49.1...49.4], by: map).fetchAll(in: database)
/// ```
///
/// SQLite stores the index in 32-bit numbers, with each box rounded outward. MiniORM also compares
/// the model's own columns, so that results are exact. A row with a NULL coordinate is not in the
/// index. A box that ends before it begins cannot be stored: ``DatabaseError`` with the code
/// ``ResultCode/constraint``.
///
/// See [The SQLite R*Tree Module](https://www.sqlite.org/rtree.html).
public struct SpatialIndex<T: Model>: SchemaObject {
  /// The index's name.
  public let name: String
  let axes: [SpatialAxis]
  let isExternal: Bool
  private let body: String
  private let problem: String?

  var key: String { keyName.quotedIdentifier }
  var keyName: String { T.schema.primaryKey.first?.name ?? "" }

  /// Creates an index on a model's columns.
  ///
  /// For a static property, specify the model as a generic argument:
  /// `SpatialIndex<Cellar>("cellar_map") { … }`. See
  /// ``FullTextIndex/init(_:of:tokenizer:prefixes:detail:_:)``.
  /// - Parameters:
  ///   - name: The name of the index, and of its table in the file.
  ///   - model: The model, whose key must be an integer.
  ///   - axes: A closure that returns the box of a row, with 1 to 5 axes.
  public init(_ name: String, of model: T.Type = T.self, _ axes: (T.Columns) -> [SpatialAxis]) {
    self.name = name
    self.axes = axes(T.columns)
    isExternal = true
    let columns = self.axes.indices.flatMap { ["min\($0 + 1)", "max\($0 + 1)"] }
    body = "USING rtree(\((["id"] + columns).joined(separator: ", ")))"
    problem =
      if !T.schema.hasRowIDKey {
        "The spatial index \(name) needs a table with an integer key; the key of \(T.schema.name) is not an integer"
      } else {
        Self.problem(name, self.axes.count)
      }
  }

  /// Creates a table of boxes for the rows of a model. Do not list the model in the schema.
  ///
  /// The model's first property is its integer key, which an inserted row must contain. Next are
  /// the lower and the upper coordinate of each axis, as `Float`. Further properties are stored
  /// with the box.
  /// - Parameters:
  ///   - model: The model.
  ///   - dimensions: The number of axes: 1 to 5.
  public init(storing model: T.Type, dimensions: Int) {
    name = T.schema.name
    isExternal = false
    let columns = T.schema.columns
    // More than five axes are rejected below.
    let axisCount = Swift.min(Swift.max(0, dimensions), 6)
    let count = 1 + 2 * axisCount
    let table = name.quotedIdentifier
    func coordinate(_ index: Int) -> SQL {
      SQL(
        raw: columns.indices.contains(index)
          ? "\(table).\(columns[index].name.quotedIdentifier)" : "NULL")
    }
    axes = (0..<axisCount).map {
      SpatialAxis(low: coordinate(1 + 2 * $0), high: coordinate(2 + 2 * $0))
    }
    let auxiliary = columns.dropFirst(count).map {
      "+\($0.name.quotedIdentifier) \($0.type.rawValue)"
    }
    let list = columns.prefix(count).map(\.name.quotedIdentifier) + auxiliary
    body = "USING rtree(\(list.joined(separator: ", ")))"
    problem =
      if !T.schema.hasRowIDKey || columns.first?.isPrimaryKey != true {
        "The first property of the spatial table \(name) must be an integer key"
      } else if let problem = Self.problem(name, dimensions) {
        problem
      } else if columns.count < count {
        "The spatial table \(name) needs two columns for each of its \(dimensions) axes"
      } else if columns.prefix(count).dropFirst().contains(where: { $0.type != .real }) {
        "The coordinates of the spatial table \(name) must be declared as Float"
      } else {
        nil
      }
  }

  private static func problem(_ name: String, _ count: Int) -> String? {
    (1...5).contains(count)
      ? nil : "The spatial index \(name) must have 1 to 5 axes, not \(count)"
  }

  /// The virtual table and its triggers.
  @_documentation(visibility: internal)
  public var definitions: [SchemaObjectDefinition] {
    get throws(DatabaseError) {
      if let problem { throw DatabaseError(.migrate, code: .misuse, problem, table: name) }
      guard isExternal else {
        return [SchemaObjectDefinition(.virtualTable, name, body: body, holdsData: true)]
      }
      let table = T.schema.name.quotedIdentifier
      let index = name.quotedIdentifier
      let fill = "INSERT INTO \(index) \(try boxes(of: table, from: " FROM \(table)"))"
      let takeOut = { (row: String) in "DELETE FROM \(index) WHERE id = \(row).\(key); " }
      // REPLACE deletes a row but not its box. The box stays until a new row has the same key.
      let putIn = takeOut("NEW") + "INSERT INTO \(index) \(try boxes(of: "NEW")); "
      func trigger(_ event: String, when condition: String = "", _ statements: String)
        -> SchemaObjectDefinition
      {
        SchemaObjectDefinition(
          .trigger, "\(name)_after_\(event.folded)",
          body: "AFTER \(event) ON \(table)\(condition) BEGIN \(statements)END", owner: name)
      }
      let changes = Self.unique(
        zip(try sides(of: "OLD"), try sides(of: "NEW")).map { "\($0) IS NOT \($1)" })
      return [
        SchemaObjectDefinition(
          .virtualTable, name, body: body, filling: ["DELETE FROM \(index)", fill]),
        trigger("INSERT", putIn),
        trigger(
          "UPDATE", when: " WHEN \(changes.joined(separator: " OR "))", takeOut("OLD") + putIn),
        trigger("DELETE", takeOut("OLD")),
      ]
    }
  }

  /// Returns the SELECT of a row's box, if all sides are known.
  private func boxes(of row: String, from: String = "") throws(DatabaseError) -> String {
    let sides = try sides(of: row)
    let known = Self.unique(sides.dropFirst().map { "\($0) IS NOT NULL" })
    return "SELECT \(sides.joined(separator: ", "))\(from) "
      + "WHERE \(known.joined(separator: " AND "))"
  }

  /// Returns a row's key and the sides of its box.
  private func sides(of row: String) throws(DatabaseError) -> [String] {
    var sides = ["\(row).\(key)"]
    for side in axes.flatMap({ [$0.low, $0.high] }) {
      sides.append(try side.literalText(columnsOf: T.schema.name, qualifiedBy: "\(row)."))
    }
    return sides
  }

  private static func unique(_ conditions: [String]) -> [String] {
    conditions.enumerated().filter { !conditions[..<$0].contains($1) }.map(\.element)
  }
}

/// An axis of the boxes of a ``SpatialIndex``.
public struct SpatialAxis: Sendable {
  let low: SQL
  let high: SQL

  init(low: SQL, high: SQL) { (self.low, self.high) = (low, high) }

  /// Returns the axis of a point.
  /// - Parameter coordinate: A column, or an expression over the row's columns.
  public static func at<Value: SQLNumeric>(_ coordinate: SQLExpression<Value>) -> SpatialAxis {
    SpatialAxis(low: coordinate.sql, high: coordinate.sql)
  }

  /// Returns the axis of a box, from its start to its end.
  public static func from<Low: SQLNumeric, High: SQLNumeric>(
    _ low: SQLExpression<Low>, to high: SQLExpression<High>
  ) -> SpatialAxis { SpatialAxis(low: low.sql, high: high.sql) }
}
