#if canImport(CommonCrypto)
  import CommonCrypto
#else
  import COpenSSL
#endif

/// Verifies the HMAC of a page, which covers the encrypted content, the initialization vector and
/// the page number. `PRAGMA cipher_integrity_check` is wrong beyond 4 GiB, where its 32-bit page
/// offsets overflow.
///
/// See [SQLCipher's design](https://www.zetetic.net/sqlcipher/design/).
struct PageAuthenticator {
  private static let vectorCount = 16
  /// The XOR mask for the HMAC salt, and the PBKDF2 iterations for the HMAC key.
  private static let (mask, iterations): (UInt8, Int) = (0x3a, 2)

  private let key: SecretBytes
  private let algorithm: CipherSettings.HashFunction
  private let reserved: Int
  /// The unencrypted bytes of the first page: the salt or the plaintext header.
  private let headCount: Int

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

  private var codeCount: Int {
    switch algorithm {
    case .sha1: 20
    case .sha256: 32
    case .sha512: 64
    }
  }

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
