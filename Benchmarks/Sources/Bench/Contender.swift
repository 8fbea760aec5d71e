/// One way of doing the work. Every method does all of it and returns how many rows it touched.
protocol Contender: AnyObject {
  var name: String { get }
  func fetchIntegers() async throws -> Int
  func fetchMixed() async throws -> Int
  func fetchNulls() async throws -> Int
  func insertIntegers(_ rows: [Integers]) async throws -> Int
  func insertMixed(_ rows: [Mixed]) async throws -> Int
  /// The same with a call for each row, in one transaction; where there are drafts, of their drafts.
  func insertMixedOneByOne(_ rows: [Mixed]) async throws -> Int
  func lookUpInTransaction(_ keys: [Int64]) async throws -> Int
  func lookUpEach(_ keys: [Int64]) async throws -> Int
  /// Inserts each row in a transaction of its own.
  func insertEach(_ rows: [Integers]) async throws -> Int
  /// The same on the calling thread, without `await` for each.
  func insertEachSynchronously(_ rows: [Integers]) async throws -> Int
  /// The same, and reads each row as it is stored, in the transaction that inserts it.
  func insertAndFetchEach(_ rows: [Integers]) async throws -> Int
  func update(_ rows: [Integers]) async throws -> Int
  /// Joins four tables.
  func fetchLines() async throws -> Int
  /// Runs one query for each supplier, in one transaction.
  func fetchArticles(of suppliers: [Int64]) async throws -> Int
  func fetchTuples() async throws -> Int
  func fetchNames() async throws -> Int
  /// Reads rows of a left join, each as a pair of models.
  func fetchPairs() async throws -> Int
  /// Reads rows with those that belong to each.
  func fetchRelated() async throws -> Int
  /// Runs a query with a condition of three terms for each key, in one transaction.
  func lookUpByCondition(_ keys: [Int64]) async throws -> Int
  func upsert(_ rows: [Stock.Draft], isPrepared: Bool) async throws -> Int
  func fetchRecords() async throws -> Int
  /// Opens the file again, reads one row and closes.
  func open() async throws -> Int
  /// The same with one connection that writes and one that reads, away from the calling thread.
  func openBoth() async throws -> Int
  func clear() async throws
  /// Moves what the log of the file that is written holds into it, whoever wrote it.
  func emptyLog() async throws
  func cipherVersion() async throws -> String
  func close() async throws
}

extension Contender {
  // Who has no call for many rows inserts them like this anyway.
  func insertMixedOneByOne(_ rows: [Mixed]) async throws -> Int { try await insertMixed(rows) }
}

/// The file that all of them use, and its raw key.
struct Target: Sendable {
  let path: String
  /// 32 bytes, or nil for a plain file.
  let key: [UInt8]?

  static let fetchedIntegers = 200_000
  static let fetchedMixed = 16_000
  static let fetchedNulls = 16_000
}
