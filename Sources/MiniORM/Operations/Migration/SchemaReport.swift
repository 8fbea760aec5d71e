/// The differences between the tables of a file and the models.
///
/// ```swift
/// let report = try await database.schemaReport(for: schema)
/// print(report.isEmpty ? "The file matches the models" : report.description)
/// ```
public struct SchemaReport: Sendable, Equatable {
  /// A difference between a file and the models.
  public enum Difference: Sendable, Equatable {
    /// The table is missing in the file.
    case missingTable(String)
    /// The file has a view or a virtual table with the table's name.
    case notATable(String)
    /// The file's table lacks a column of the model.
    case missingColumn(table: String, column: String)
    /// The file's table has a column that the model lacks.
    case extraColumn(table: String, column: String)
    /// The column is declared or stored differently.
    ///
    /// `property` is `type`, `nullability`, `default`, `collation` or `generated`; `name` if the
    /// file has a former name of the column; or `format` if the values are stored differently, such
    /// as `unixSeconds` and `unixMilliseconds`.
    case differentColumn(
      table: String, column: String, property: String, file: String, model: String)
    /// The model cannot read a value of the column, so that `fetchAll` throws.
    ///
    /// `rows` counts the rows whose first unreadable value is in this column; nil stands for an
    /// error of a custom type that names no column. `reason` is the message for the first row.
    case unreadable(table: String, column: String?, rows: Int, reason: String)
    /// Rows of the column have a text that MiniORM can read but would write differently, such as a
    /// date with a `T` or an uppercase UUID.
    ///
    /// `==`, `<` and `distinct` compare texts, and miss such rows. The operation
    /// `convertColumn` of a step, without `using:`, rewrites the texts.
    case otherSpellings(table: String, column: String, rows: Int, type: String)
    /// The table is declared differently.
    ///
    /// `property` is `PRIMARY KEY`, `AUTOINCREMENT`, `UNIQUE`, `CHECK`, `FOREIGN KEY`, `STRICT`,
    /// `WITHOUT ROWID` or `other clauses`; or `name` if the file has a former name of the table,
    /// also beside the table.
    case differentTable(table: String, property: String, file: String, model: String)
    /// The file lacks an index of the model.
    case missingIndex(table: String, index: String)
    /// The file's table has an index that the model lacks.
    case extraIndex(table: String, index: String)
    /// The index is declared differently.
    case differentIndex(table: String, index: String, file: String, model: String)
    /// The file lacks an object of the schema. `type` is `view`, `trigger` or `table`; a virtual
    /// table is a `table`.
    case missingObject(type: String, name: String)
    /// The file has an object that only an earlier schema declared.
    case extraObject(type: String, name: String)
    /// The object is declared differently.
    case differentObject(type: String, name: String, file: String, model: String)
  }

  /// The differences, in the order of the models.
  public let differences: [Difference]

  /// True if the file matches the models.
  public var isEmpty: Bool { differences.isEmpty }
}

extension Model {
  /// Reads every row as `fetchAll` does, without the default scope, and returns a difference for
  /// each column with the first unreadable value of a row.
  static func unreadableRows(
    in connection: isolated Connection
  ) throws(DatabaseError) -> [SchemaReport.Difference] {
    var found: [String?: (rows: Int, reason: String)] = [:]
    let statement = try connection.statement(schema.selectAll)
    while try statement.step() {
      do throws(DatabaseError) {
        _ = try statement.read(Self.self)
      } catch {
        guard error.operation == .read, !error.isOutOfMemory else { throw error }
        found[error.column, default: (0, error.message)].rows += 1
      }
    }
    return found.sorted { ($0.key ?? "") < ($1.key ?? "") }.map { column, failure in
      .unreadable(
        table: schema.name, column: column, rows: failure.rows, reason: failure.reason)
    }
  }
}

extension SchemaReport: CustomStringConvertible {
  /// A line per difference.
  public var description: String {
    differences.map(\.description).joined(separator: "\n")
  }
}

extension SchemaReport.Difference: CustomStringConvertible {
  /// The difference as a clause, for example `table city is missing`.
  public var description: String {
    switch self {
    case .missingTable(let table): "table \(table) is missing"
    case .notATable(let table): "\(table) is not an ordinary table in the file"
    case .missingColumn(let table, let column): "column \(table).\(column) is missing"
    case .extraColumn(let table, let column):
      "column \(table).\(column) is in the file and not in the model"
    case .differentColumn(let table, let column, let property, let file, let model):
      "column \(table).\(column): \(property) is \(file) in the file and \(model) in the model"
    case .unreadable(let table, let column, let rows, let reason):
      (column.map { "column \(table).\($0)" } ?? "table \(table)")
        + ": \(rows) row\(rows == 1 ? "" : "s") cannot be read: \(reason)"
    case .otherSpellings(let table, let column, let rows, let type):
      "column \(table).\(column): \(rows) row\(rows == 1 ? " has" : "s have") another text than "
        + "MiniORM writes for the same \(type), and comparisons miss them: convert the column in "
        + "a step, .convertColumn(\"\(column)\", to: \(type).self, in: \"\(table)\")"
    case .differentTable(let table, let property, let file, let model):
      "table \(table): \(property) is \(file) in the file and \(model) in the model"
    case .missingIndex(let table, let index): "index \(index) of table \(table) is missing"
    case .extraIndex(let table, let index):
      "index \(index) of table \(table) is in the file and not in the model"
    case .differentIndex(let table, let index, let file, let model):
      "index \(index) of table \(table) is \(file) in the file and \(model) in the model"
    case .missingObject(let type, let name): "\(type) \(name) is missing"
    case .extraObject(let type, let name): "\(type) \(name) is in the file and not in the schema"
    case .differentObject(let type, let name, let file, let model):
      "\(type) \(name) is \(file) in the file and \(model) in the schema"
    }
  }
}
