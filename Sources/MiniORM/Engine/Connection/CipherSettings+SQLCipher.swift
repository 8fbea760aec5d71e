import CSQLCipher
import Synchronization

extension CipherSettings {
  /// Call this after setting the key and before the first read.
  /// - Parameter schema: The quoted schema name.
  func apply(to database: OpaquePointer, schema: String = "main") throws(DatabaseError) {
    guard !areInForce(on: database, schema: schema) else { return }
    // SQLCipher rejects a header size that does not match the page size. The header size is
    // therefore reset first and set last.
    for (name, value) in [("plaintext_header_size", "0")] + pragmas {
      _ = try Connection.text("PRAGMA \(schema).\(Self.pragma(name)) = \(value)", database)
    }
  }

  /// True if the connection has these settings, the usual case. Reading is faster than setting.
  func areInForce(on database: OpaquePointer, schema: String = "main") -> Bool {
    let rows = try? Connection.rows("PRAGMA \(schema).cipher_settings", database)
    let found = rows?.map { row -> ExactText in
      if case .text(let text)? = row.first { ExactText(text) } else { ExactText("") }
    }
    let wanted = pragmas.map { name, value in
      let value = name == "use_hmac" ? value == "ON" ? "1" : "0" : value
      return ExactText("PRAGMA \(Self.pragma(name)) = \(value);")
    }
    return found.map { Set($0) } == Set(wanted)
  }

  private static func pragma(_ name: String) -> String {
    name == "kdf_iter" ? name : "cipher_\(name)"
  }

  /// In an order in which SQLCipher accepts each setting.
  private var pragmas: [(String, String)] {
    [
      ("page_size", "\(pageSize)"), ("use_hmac", hmacAlgorithm == nil ? "OFF" : "ON"),
      ("hmac_algorithm", "HMAC_\((hmacAlgorithm ?? .sha512).rawValue)"),
      ("kdf_algorithm", "PBKDF2_HMAC_\(kdfAlgorithm.rawValue)"), ("kdf_iter", "\(kdfIterations)"),
      ("plaintext_header_size", "\(plaintextHeaderSize)"),
    ]
  }

  /// Reads the settings in force; nil if the database is not encrypted.
  init?(of database: OpaquePointer, isDefault: Bool = false) throws(DatabaseError) {
    func value(_ name: String) throws(DatabaseError) -> String? {
      let prefix = isDefault ? "cipher_default_" : name == "kdf_iter" ? "" : "cipher_"
      return try Connection.text("PRAGMA \(prefix)\(name)", database)
    }
    func number(_ name: String) throws(DatabaseError) -> Int? {
      try value(name).flatMap { Int($0) }
    }
    func function(_ name: String) throws(DatabaseError) -> HashFunction? {
      guard let value = try value(name) else { return nil }
      return HashFunction.allCases.first {
        value.utf8.reversed().starts(with: $0.rawValue.utf8.reversed())
      }
    }
    guard
      let pageSize = try number("page_size"), let kdfIterations = try number("kdf_iter"),
      let kdfAlgorithm = try function("kdf_algorithm"), let usesHMAC = try number("use_hmac"),
      let plaintextHeaderSize = try number("plaintext_header_size")
    else { return nil }
    let hmacAlgorithm = usesHMAC == 0 ? nil : try function("hmac_algorithm")
    self.init(
      pageSize: pageSize, kdfIterations: kdfIterations, kdfAlgorithm: kdfAlgorithm,
      hmacAlgorithm: hmacAlgorithm)
    self.plaintextHeaderSize = plaintextHeaderSize
  }

  /// Throws if the plaintext header declares a different page size, which would make SQLCipher
  /// write past the end of its page buffer.
  /// - Parameter head: The file's first 18 bytes; nil if the file is shorter.
  func checkPageSize(_ head: [UInt8]?) throws(DatabaseError) {
    // With a shorter plaintext header, the page size is encrypted.
    guard plaintextHeaderSize > 16, let size = DatabaseFile.pageSize(head), size != pageSize else {
      return
    }
    throw DatabaseError(
      .key, code: .notADatabase,
      "The file has pages of \(size) bytes, but the cipher settings have \(pageSize): set CipherSettings.pageSize"
    ).because(.wrongKey)
  }

  private static let defaults = Mutex(())

  /// Makes these settings the process's defaults while `body` runs ATTACH.
  ///
  /// ATTACH reads the file before settings can be applied to the new schema. See [PRAGMA
  /// cipher_default_kdf_iter](https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_default_kdf_iter).
  func asDefaults(on database: OpaquePointer, _ body: () -> Int32) throws(DatabaseError) -> Int32 {
    try Self.defaults.withLock { _ throws(DatabaseError) in
      guard let before = try CipherSettings(of: database, isDefault: true), before != self else {
        return body()
      }
      defer { try? before.makeDefaults(on: database) }
      try makeDefaults(on: database)
      return body()
    }
  }

  private func makeDefaults(on database: OpaquePointer) throws(DatabaseError) {
    for (name, value) in [("plaintext_header_size", "0")] + pragmas {
      _ = try Connection.text("PRAGMA cipher_default_\(name) = \(value)", database)
    }
  }
}
