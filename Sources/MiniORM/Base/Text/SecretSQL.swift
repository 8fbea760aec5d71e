enum SecretSQL {
  static let pragmas: Set<String> = [
    "key", "hexkey", "textkey", "rekey", "hexrekey", "textrekey", "cipher_license",
  ]

  /// True if SQL, even with syntax errors, contains the words of a PRAGMA with a key, or of ATTACH
  /// … KEY.
  static func mayHoldKey(_ sql: String) -> Bool {
    var isPragma = false
    var isAttach = false
    var word: [UInt8] = []
    func holdsKey() -> Bool {
      let name = String(decoding: word, as: UTF8.self)
      switch name {
      case "pragma": isPragma = true
      case "attach": isAttach = true
      case "key" where isAttach: return true
      case _ where isPragma: return pragmas.contains(name)
      case _ where name.startsWithBytes(of: "pragma_"):
        return pragmas.contains(String(decoding: word.dropFirst(7), as: UTF8.self))
      default: break
      }
      return false
    }
    for byte in sql.utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): word.append(byte | 0x20)
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"): word.append(byte)
      default:
        if holdsKey() { return true }
        word.removeAll(keepingCapacity: true)
      }
    }
    return holdsKey()
  }
}
