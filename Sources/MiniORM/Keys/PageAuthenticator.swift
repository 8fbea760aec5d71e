#if canImport(CommonCrypto)
  import CommonCrypto
#else
  import COpenSSL
#endif

/// Looks whether the authentication code of a page fits, as SQLCipher does where it reads one.
///
/// `PRAGMA cipher_integrity_check` reckons where a page stands in 32 bits, and from 4 GiB on compares the codes of
/// other pages. The code is that of what is encrypted, the initialization vector and the page's number; its key is
/// derived from that of the file and the salt.
///
/// See [SQLCipher's design](https://www.zetetic.net/sqlcipher/design/).
struct PageAuthenticator {
  private static let vectorCount = 16
  /// What each byte of the salt differs in from that of the file, and how often the key is hashed for a key of codes.
  private static let (mask, iterations): (UInt8, Int) = (0x3a, 2)

  private let key: SecretBytes
  private let algorithm: CipherSettings.HashFunction
  private let reserved: Int
  /// How many bytes at the head of the first page are not encrypted: those of the salt, or more.
  private let headCount: Int

  /// - Returns: `nil` where the pages of the file have no codes.
  /// - Throws: ``DatabaseError`` where the platform derives no key.
  init?(_ cipher: CipherKey) throws(DatabaseError) {
    guard let algorithm = cipher.settings.hmacAlgorithm else { return nil }
    self.algorithm = algorithm
    reserved = cipher.settings.reservedSize
    headCount =
      cipher.settings.plaintextHeaderSize > 0
      ? cipher.settings.plaintextHeaderSize : CipherKey.saltCount
    key = try CipherKey.derive(
      cipher.bytes, cipher.salt.map { $0 ^ Self.mask }, cipher.settings.kdfAlgorithm,
      iterations: Self.iterations)
  }

  /// - Parameters:
  ///   - page: All bytes of a page, as they stand in the file.
  ///   - number: Its number, from 1 on.
  func isAuthentic(_ page: [UInt8], number: Int) -> Bool {
    let start = number == 1 ? headCount : 0
    let end = page.count - reserved + Self.vectorCount
    guard start < end, end + codeCount <= page.count else { return false }
    let digits = UInt32(truncatingIfNeeded: number)
    var data = Array(page[start..<end])
    data.append(contentsOf: (0..<4).map { UInt8(truncatingIfNeeded: digits >> (8 * $0)) })
    guard let code = code(of: data) else { return false }
    return code.elementsEqual(page[end..<end + codeCount])
  }

  /// How many bytes a code has.
  private var codeCount: Int {
    switch algorithm {
    case .sha1: 20
    case .sha256: 32
    case .sha512: 64
    }
  }

  /// HMAC.
  private func code(of data: [UInt8]) -> [UInt8]? {
    key.withBytes { key in
      var code = [UInt8](repeating: 0, count: codeCount)
      #if canImport(CommonCrypto)
        let function =
          switch algorithm {
          case .sha1: kCCHmacAlgSHA1
          case .sha256: kCCHmacAlgSHA256
          case .sha512: kCCHmacAlgSHA512
          }
        CCHmac(
          CCHmacAlgorithm(function), key.baseAddress, key.count, data, data.count, &code)
        return code
      #else
        guard
          HMAC(algorithm.digest, key.baseAddress, Int32(key.count), data, data.count, &code, nil)
            != nil
        else { return nil }
        return code
      #endif
    }
  }
}
