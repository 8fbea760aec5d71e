enum SchemaHash {
  /// The 64-bit FNV-1a hash of the tokens. Never change the hash: files store the results.
  static func of(_ sql: String) -> Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for token in SQLToken.all(in: sql) {
      for byte in token.text.string.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      // A separator: 0xff never occurs in UTF-8.
      hash = (hash ^ 0xff) &* 0x100_0000_01b3
    }
    return Int64(bitPattern: hash)
  }
}
