import CSQLCipher

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// See [Define New Collating Sequences](https://www.sqlite.org/c3ref/create_collation.html).
extension Configuration {
  package func registerCollations(on database: OpaquePointer) throws(DatabaseError) {
    var known = Collation.builtInNames
    for collation in [.decimalText] + collations {
      guard let (name, compare) = collation.definition else {
        guard known.contains(collation.name.folded) else {
          throw DatabaseError(
            .configure, code: .misuse,
            "The collation \(collation.name) has no comparison: write Collation(\(collation.name)) "
              + "{ left, right in … } in Configuration.collations")
        }
        continue
      }
      try Self.checkName(name, of: "collation")
      guard known.insert(name.folded).inserted else {
        throw DatabaseError(
          .configure, code: .misuse, "A collation named \(name) exists already: choose another name"
        )
      }
      let code = CollationBox.register(name, compare, on: database)
      guard code == SQLITE_OK else {
        throw DatabaseError(.configure, code: code, from: database)
          .explaining("SQLite refused the collation \(name)")
      }
    }
    if standsInForCollations { StandInCollations.register(on: database) }
  }
}

/// The context of a collation, retained by SQLite until the connection closes.
private final class CollationBox {
  let compare: Collation.Comparator

  init(_ compare: @escaping Collation.Comparator) { self.compare = compare }

  static func register(
    _ name: String, _ compare: @escaping Collation.Comparator, on database: OpaquePointer
  ) -> Int32 {
    let box = CallbackContext.retained(CollationBox(compare))
    let code = sqlite3_create_collation_v2(
      database, name, SQLITE_UTF8, box,
      { box, leftCount, left, rightCount, right in
        guard let box else { return 0 }
        let order = CallbackContext<CollationBox>.object(box).compare(
          CollationBox.text(left, leftCount), CollationBox.text(right, rightCount))
        return Int32(order.rawValue)
      },
      { box in if let box { CallbackContext<CollationBox>.release(box) } })
    // sqlite3_create_collation_v2 does not call the destructor on failure.
    if code != SQLITE_OK { CallbackContext<CollationBox>.release(box) }
    return code
  }

  private static func text(_ bytes: UnsafeRawPointer?, _ count: Int32) -> String {
    String(decoding: UnsafeRawBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
  }
}

extension DatabaseError {
  func explaining(_ attempt: String) -> DatabaseError {
    DatabaseError(operation, code: code, "\(attempt): \(message)", path: path)
  }
}
