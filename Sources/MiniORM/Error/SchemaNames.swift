import CSQLCipher

/// The names of the databases of a connection: `main`, `temp`, which has the temporary objects and no file, and those that are
/// attached.
///
/// See [sqlite3_db_name](https://www.sqlite.org/c3ref/db_name.html).
struct SchemaNames: Sequence, IteratorProtocol {
  /// How many come before those that are attached.
  static let builtIn: Int32 = 2

  private let database: OpaquePointer
  private var number: Int32

  /// - Parameter first: The number of the first one: 0 is main, and 1 temp.
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
