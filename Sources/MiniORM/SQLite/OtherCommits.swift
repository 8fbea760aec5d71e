/// Tells whether connections other than this one have committed something.
///
/// See [PRAGMA data_version](https://www.sqlite.org/pragma.html#pragma_data_version).
struct OtherCommits {
  /// What SQLite said when it was last asked, by database.
  private var versions: [String: String] = [:]

  /// Returns whether it says something else than it did.
  mutating func haveComeSinceLast(in schemas: [String], _ database: OpaquePointer) -> Bool {
    var now: [String: String] = [:]
    for schema in schemas {
      let sql = "PRAGMA \(schema.quotedIdentifier).data_version"
      now[schema] = SchemaReader(database).value(of: sql)
    }
    defer { versions = now }
    return now != versions
  }
}
