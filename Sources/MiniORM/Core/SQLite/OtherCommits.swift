/// Detects commits by other connections.
///
/// See [PRAGMA data_version](https://www.sqlite.org/pragma.html#pragma_data_version).
struct OtherCommits {
  private var versions: [String: String] = [:]

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
