import Foundation
import MiniORM

/// Building the file, and finding scalars in it.
enum Store {
  /// Opens a file that stays; creates it where there is none.
  /// - Parameter path: The file, or `nil` for the default one.
  /// - Returns: The database.
  /// - Throws: `DatabaseError`, for instance when the passphrase is wrong.
  static func open(_ path: String?) async throws -> Database {
    let database = try await Database(path: path ?? defaultPath(), key: .passphrase(passphrase))
    try await database.migrate(Atlas.schema)
    return database
  }

  /// Opens a file that stays, and fills it where it is empty.
  ///
  /// The rows go in in one transaction, so a file holds all of them or none: one that was
  /// interrupted is filled the next time.
  /// - Parameter path: The file, or `nil` for the default one.
  /// - Returns: The database.
  /// - Throws: `DatabaseError`, for instance when the passphrase is wrong.
  static func openFilled(_ path: String?) async throws -> Database {
    let database = try await open(path)
    if try await !Table<Scalar>().exists(in: database) {
      // Not to standard output, where the results go.
      complain("Building \(database.path) first: this takes some seconds.")
      try await fill(database, progress: isTerminal ? ProgressLine() : nil)
    }
    return database
  }

  /// The passphrase of a file that stays. The rows are Unicode's, so the environment may hold the
  /// passphrase. A program with secrets asks for the passphrase, or reads a key file.
  private static var passphrase: String {
    ProcessInfo.processInfo.environment["ATLAS_KEY"] ?? "atlas"
  }

  private static func defaultPath() throws -> String {
    let caches = try FileManager.default.url(
      for: .cachesDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
    let folder = caches.appending(path: "atlas", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.appending(path: "atlas.db").path
  }

  /// Inserts every category and every assigned scalar, in place of those that are there.
  ///
  /// Favorites refer to scalars. Their foreign key is deferred: it is checked when the transaction
  /// commits, and then the scalars are back.
  /// - Parameters:
  ///   - database: The database.
  ///   - progress: What shows how far it is; `nil` shows nothing.
  /// - Returns: The number of scalars.
  @discardableResult
  static func fill(_ database: Database, progress: ProgressLine?) async throws -> Int {
    try await database.write { db in
      var progress = progress
      try Table<Scalar>().truncate(in: db)
      try Table<Category>().truncate(in: db)
      let categories = GeneralCategory.allCases.map { Category(code: $0, title: $0.title) }
      try Table<Category>().insert(contentsOf: categories, in: db)

      // A batch of rows at a time: memory stays low however many there are.
      let codePoints = (0...0x10FFFF).filter(Scalar.isAssigned)
      var count = 0
      for start in stride(from: 0, to: codePoints.count, by: 4096) {
        let batch = codePoints[start..<min(start + 4096, codePoints.count)]
        count += try Table<Scalar>().insert(
          contentsOf: batch.compactMap { Scalar(assigned: $0) }, in: db)
        progress?.show(count, of: codePoints.count)
      }
      progress?.finish()
      return count
    }
  }
}

extension Table where T == Scalar {
  /// Those whose name holds all the words, in the order of their code points.
  /// - Parameter words: The words, in which `%` and `_` are the wildcards of LIKE.
  func named(_ words: [String]) -> Table {
    // Several conditions must all be true.
    words.reduce(self) { table, word in table.where { $0.name.like("%\(word)%") } }
      .order { $0.codePoint }
  }
}
