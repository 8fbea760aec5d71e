/// A number by which a statement of a file's schema is known again, however it is spaced.
enum SchemaHash {
  /// Returns the 64-bit FNV-1a hash of the tokens. It must stay the same: files hold it.
  /// - Complexity: O(*n*) in the length of the statement.
  static func of(_ sql: String) -> Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for token in SQLToken.all(in: sql) {
      for byte in token.text.string.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      // No byte of UTF-8: the end of the token.
      hash = (hash ^ 0xff) &* 0x100_0000_01b3
    }
    return Int64(bitPattern: hash)
  }
}
