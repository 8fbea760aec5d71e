import CSQLCipher
import Foundation
import Synchronization
import Testing

@testable import MiniORM

/// Collects progress reports.
final class Fractions: Sendable {
  private let seen = Mutex<[Double]>([])
  var all: [Double] { seen.withLock { $0 } }
  func append(_ fraction: Double) { seen.withLock { $0.append(fraction) } }
}

/// Overwrites bytes in the middle of each page.
func damage(_ path: String, pages: some Sequence<Int>) throws {
  let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
  defer { try? file.close() }
  for page in pages {
    try file.seek(toOffset: UInt64(page - 1) * 4096 + 700)
    try file.write(contentsOf: Data("DAMAGE".utf8))
  }
}

/// Runs SQL through SQLite's C API, as another program would.
func runSQL(_ sql: String, on path: String, key: String? = nil) throws {
  var database: OpaquePointer?
  #expect(sqlite3_open(path, &database) == SQLITE_OK)
  defer { sqlite3_close(database) }
  let key = key.map { "PRAGMA cipher_log_level = NONE; PRAGMA key = \"\($0)\";" } ?? ""
  var message: UnsafeMutablePointer<CChar>?
  defer { sqlite3_free(message) }
  let code = sqlite3_exec(database, key + sql, nil, nil, &message)
  #expect(code == SQLITE_OK, "\(message.map { String(cString: $0) } ?? "")")
}

/// Leaves the files of a process killed during a commit: a journal, and a partly written database.
/// - Parameter sql: Changes several pages of the file. The file has the tests' key.
func leaveJournal(_ path: String, changing sql: String) throws {
  var pointer: OpaquePointer?
  defer { sqlite3_close(pointer) }
  try #require(sqlite3_open_v2(path, &pointer, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
  func run(_ sql: String) throws {
    try #require(sqlite3_exec(pointer, sql, nil, nil, nil) == SQLITE_OK, "\(sql)")
  }
  try run("PRAGMA key = \"x'\(testKeyBytes.hexadecimal)'\"")
  // A small cache forces pages to be written before the commit.
  try run("PRAGMA cache_size = 1")
  try run("BEGIN")
  try run(sql)
  let files = [path, path + "-journal"]
  let contents = try files.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
  try run("ROLLBACK")
  for (file, contents) in zip(files, contents) {
    try contents.write(to: URL(fileURLWithPath: file))
  }
}

func names(in folder: String) throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
}

/// A script that fills tables: the file then has several hundred pages.
func tables(rows: Int) -> String {
  """
  CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, photo BLOB);
  CREATE INDEX person_name ON person(name);
  CREATE TABLE note(person INTEGER REFERENCES person(id), text TEXT);
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
    INSERT INTO person SELECT i, 'name ' || (i * 7919 % 100003), randomblob(i % 400) FROM n;
  INSERT INTO note SELECT id, hex(photo) FROM person;
  """
}
