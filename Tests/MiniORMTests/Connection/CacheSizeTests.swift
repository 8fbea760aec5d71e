import Testing

@testable import MiniORM

@Suite("Configuration.cacheSize")
struct CacheSizeTests {
  private static func sizes(
    _ database: Database, of schema: String = "main"
  ) async throws -> [Int?] {
    let sql = SQL(raw: "PRAGMA \(schema).cache_size")
    return [
      try await database.write { try $0.value(Int.self, sql) },
      try await database.read { try $0.value(Int.self, sql) },
    ]
  }

  @Test(
    "the size in bytes applies to the writer and to the readers, also after a change of key",
    arguments: [
      (nil, -8_192), (1 << 20, -1_024), (64 << 20, -65_536), (1_535, -1), (0, -1), (-5, -1),
      (Int.max, -Int(Int32.max)),
    ])
  func size(bytes: Int?, kibibytes: Int) async throws {
    var configuration = Configuration()
    if let bytes { configuration.cacheSize = bytes }
    try await withTemporaryDatabase(configuration: configuration, script: "CREATE TABLE t(a)") {
      database in
      #expect(try await Self.sizes(database) == [kibibytes, kibibytes])
      try await database.changeKey(to: .raw([UInt8](repeating: 1, count: 32)))
      #expect(try await Self.sizes(database) == [kibibytes, kibibytes])
    }
  }

  @Test("the size applies to attached files and to read-only files, and a file's own size does not")
  func otherFiles() async throws {
    var configuration = Configuration()
    configuration.cacheSize = 3 << 20
    try await withTemporaryDirectory { folder in
      for name in ["main", "other"] {
        let path = "\(folder)/\(name).db"
        let database = try await Database(path: path, key: .raw(testKeyBytes))
        try await database.write { db in
          try db.execute(script: "CREATE TABLE t(a); PRAGMA default_cache_size = 50")
        }
        try await database.close()
      }
      let database = try await Database(
        path: folder + "/main.db", key: .raw(testKeyBytes), configuration: configuration)
      try await database.attach(folder + "/other.db", as: "other", key: .raw(testKeyBytes))
      #expect(try await Self.sizes(database) == [-3_072, -3_072])
      #expect(try await Self.sizes(database, of: "other") == [-3_072, -3_072])
      try await database.close()
      configuration.isReadOnly = true
      let reader = try await Database(
        path: folder + "/main.db", key: .raw(testKeyBytes), configuration: configuration)
      let size = try await reader.read { try $0.value(Int.self, "PRAGMA cache_size") }
      #expect(size == -3_072)
      try await reader.close()
    }
  }
}
