import CSQLCipher

/// The schema names of a connection: `main`, `temp` (which has no file), and the attached
/// databases.
///
/// See [sqlite3_db_name](https://www.sqlite.org/c3ref/db_name.html).
struct SchemaNames: Sequence, IteratorProtocol {
  static let builtIn: Int32 = 2

  private let database: OpaquePointer
  private var number: Int32

  init(of database: OpaquePointer, from first: Int32 = 0) {
    self.database = database
    number = first
  }

  mutating func next() -> String? {
    guard let name = sqlite3_db_name(database, number) else { return nil }
    number += 1
    return String(cString: name)  // NUL-terminated by contract
  }
}
