import Foundation
import Testing

@testable import MiniORM

@Suite("Names compare as in SQLite: by bytes, ignoring ASCII case")
struct NameTests {
  /// Names that are equal in Swift, ignoring case, but not in SQLite.
  static let names = [("É", "é"), ("e\u{301}", "\u{E9}"), ("K", "\u{212A}"), ("ſ", "s")]

  @Test(
    "names of attached databases compare as in SQLite, by bytes, ignoring ASCII case",
    arguments: names)
  func attached(name: String, other: String) async throws {
    try await withTemporaryDirectory { folder throws in
      let database = try await Database(path: folder + "/main.db", key: .raw(testKeyBytes))
      for (index, name) in [name, other].enumerated() {
        try await database.attach(folder + "/\(index).db", as: name, key: .raw(testKeyBytes))
        try await database.write { db in
          try db.execute("CREATE TABLE \(identifier: name).t\(raw: "\(index)")(a)")
          try db.execute("INSERT INTO \(identifier: name).t\(raw: "\(index)") VALUES (\(index))")
        }
      }
      try await database.detach(name)
      #expect(
        try await database.read { db in
          try db.value(Int.self, "SELECT a FROM \(identifier: other).t1")
        }
          == 1)
      let error = try await failure { try await database.detach(name) }
      #expect(error.message == "No database is attached as \(name): check the name")
      let twice = try await failure {
        try await database.attach(
          folder + "/1.db", as: other.utf8.count == 1 ? other.uppercased() : other,
          key: .raw(testKeyBytes))
      }
      #expect(twice.code == .misuse)
      try await database.close()
    }
  }

  @Test(
    "functions and collations may have names that are equal only in Swift",
    arguments: names)
  func registered(name: String, other: String) async throws {
    var configuration = Configuration()
    configuration.functions = [name, other].map { name in
      SQLFunction(name) { (value: Int) in value + name.utf8.count }
    }
    configuration.collations = [name, other].map { name in
      Collation(name) { $0 < $1 ? .orderedAscending : .orderedDescending }
    }
    let database = try await Database.inMemory(configuration: configuration)
    for (index, name) in [name, other].enumerated() {
      #expect(
        try await database.values("SELECT \(identifier: name)(\(raw: "\(index)"))")
          == [.integer(Int64(index + name.utf8.count))])
    }
    try await database.close()
    configuration.functions.append(SQLFunction("Twice") { (value: Int) in value })
    configuration.functions.append(SQLFunction("tWICE") { (value: Int) in value })
    let asked = configuration
    let error = try await failure { _ = try await Database.inMemory(configuration: asked) }
    #expect(
      error.message
        == "Two functions are named tWICE, with the same number of arguments (1): rename one of them"
    )
  }
}
