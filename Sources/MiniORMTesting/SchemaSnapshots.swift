import Foundation
public import MiniORM
public import Testing

/// The recorded schemas of the released versions, in a folder beside a test.
///
/// ```swift
/// let snapshots = SchemaSnapshots(in: "Schemas", besides: #filePath)
///
/// @Test func schemaIsRecorded() async throws {
///   try await snapshots.expectCurrent(schema)
/// }
///
/// @Test func migrations() async throws {
///   try await snapshots.expectMigrations(to: schema) { version, database in
///     let chores = try await Table<Chore>().fetchAll(in: database)
///     #expect(chores.contains { $0.due == nil })
///   }
/// }
/// ```
/// A file of the folder, such as `Schemas/4.sql`, has the statements, column formats and steps of a
/// version. Commit the files, and never edit them.
public struct SchemaSnapshots: Sendable {
  let folder: URL
  private(set) var configuration: Configuration
  let seed: UInt64
  /// True if a recorded schema is replaced by a different one, instead of failing the test.
  var records = ProcessInfo.processInfo.environment["MINIORM_RECORD"] == "1"
  var given: [ExactText: @Sendable (Int32) throws -> [[String: DatabaseValue]]] = [:]

  /// Creates the snapshots of a folder. The folder may not exist yet.
  /// - Parameters:
  ///   - folder: The folder's path, relative to the folder of `file`.
  ///   - file: The source file of the test: `#filePath`.
  ///   - configuration: The configuration of the test's databases, with the functions and collations
  ///     that the schema uses.
  ///   - seed: The seed of the generated rows. Equal seeds generate equal rows.
  public init(
    in folder: String, besides file: String, configuration: Configuration = Configuration(),
    seed: UInt64 = 1
  ) {
    let source = URL(fileURLWithPath: file).deletingLastPathComponent()
    self.folder = URL(fileURLWithPath: folder, relativeTo: source).standardizedFileURL
    self.seed = seed
    self.configuration = configuration
    self.configuration.synchronous = .off
  }

  /// Returns the snapshots with rows for a table, in place of the generated rows.
  ///
  /// ```swift
  /// let snapshots = SchemaSnapshots(in: "Schemas", besides: #filePath)
  ///   .rows(for: "payment") { _ in [["currency": .text("EUR"), "cents": .integer(-5)]] }
  /// ```
  /// Columns that a row lacks get generated values. Columns that the version lacks are ignored, but a
  /// name that no snapshot has is reported.
  /// - Parameters:
  ///   - table: The table's name. Versions without the table are not affected.
  ///   - rows: Returns the rows for a version. If it returns an empty array, rows are generated.
  public func rows(
    for table: String, _ rows: @escaping @Sendable (Int32) throws -> [[String: DatabaseValue]]
  ) -> SchemaSnapshots {
    var snapshots = self
    snapshots.given[table.folded] = rows
    return snapshots
  }

  /// Compares the schema with the snapshot of its version.
  ///
  /// A missing snapshot is written, and the test fails once, so that the new file is noticed. To
  /// replace the snapshot of a version that was never released, run the test once with the
  /// environment variable `MINIORM_RECORD=1`.
  /// - Parameters:
  ///   - schema: The schema of the app.
  ///   - sourceLocation: The place of a failure: by default, the call.
  /// - Throws: ``DatabaseError`` if the schema contradicts itself, or an error of Foundation if the
  ///   file cannot be read or written.
  public func expectCurrent(
    _ schema: DatabaseSchema, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let text = try await text(of: schema)
    let file = folder.appendingPathComponent("\(schema.version).sql")
    let recorded = try? String(contentsOf: file, encoding: .utf8)
    if recorded?.lines == text.lines { return }
    if recorded == nil || records {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    guard !records else { return }
    guard let recorded else {
      return fail(
        "The schema of version \(schema.version) had no snapshot. It was written to \(file.path): "
          + "review and commit the file, and run the test again", sourceLocation)
    }
    fail(
      """
      The schema differs from its snapshot \(file.path):
      \(recorded.difference(to: text))
      If version \(schema.version) was released, raise the version of the schema. If it was never \
      released, run the test once with MINIORM_RECORD=1.
      """, sourceLocation)
  }

  func text(of schema: DatabaseSchema) async throws -> String {
    let database = try await Database.inMemory(configuration: configuration)
    try await database.migrate(schema)
    let text = try await database.withWriter { db in try db.schemaText() }
    try await database.close()
    return text
  }

  /// Reads the snapshots. Reports files that are not snapshots or were edited, and columns of
  /// `rows(for:)` that no snapshot has.
  func recorded(_ sourceLocation: SourceLocation) throws -> [RecordedSchema] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let schemas = try files.compactMap { name -> RecordedSchema? in
      guard name.hasSuffix(".sql"), let version = Int32(name.dropLast(4)) else { return nil }
      let file = folder.appendingPathComponent(name)
      let schema = try RecordedSchema(String(contentsOf: file, encoding: .utf8))
      if let schema, schema.version == version, schema.isUnchanged { return schema }
      fail(
        "\(file.path) is not the snapshot of version \(version), or was edited after it was "
          + "recorded: restore the file from version control. If the version was never released, "
          + "record it again: run expectCurrent with MINIORM_RECORD=1", sourceLocation)
      return nil
    }.sorted { $0.version < $1.version }
    for (name, rows) in given {
      let tables = schemas.flatMap(\.tables).filter { $0.name.folded == name }
      let known = tables.compactMap(\.definition).flatMap(\.columns).map(\.key)
      let columns = try schemas.flatMap { try rows($0.version).flatMap(\.keys) }
      guard let unknown = columns.first(where: { !known.contains($0.folded) }) else { continue }
      fail("rows(for: \"\(name)\"): no snapshot has the column \(name).\(unknown)", sourceLocation)
    }
    return schemas
  }
}

func fail(_ message: String, _ sourceLocation: SourceLocation) {
  Issue.record(Comment(rawValue: message), sourceLocation: sourceLocation)
}

extension String {
  /// The lines without trailing white space, and without empty lines at the end.
  var lines: [String] {
    let lines = split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
      line.lastIndex { !$0.isWhitespace }.map { String(line[...$0]) } ?? ""
    }
    return Array(lines.prefix((lines.lastIndex { !$0.isEmpty } ?? -1) + 1))
  }

  /// Returns the changed lines, each with its number: `-` in this text, `+` in the other.
  func difference(to other: String) -> String {
    other.lines.difference(from: lines).map { change in
      switch change {
      case .remove(let offset, let line, _): (offset + 1, "- \(offset + 1): \(line)")
      case .insert(let offset, let line, _): (offset + 1, "+ \(offset + 1): \(line)")
      }
    }.sorted { $0.0 < $1.0 }.map(\.1).joined(separator: "\n")
  }
}
