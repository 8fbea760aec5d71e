/// Verifies the HMAC of a page. `PRAGMA cipher_integrity_check` computes page offsets in 32 bits,
/// and from 4 GiB on compares the wrong pages. The HMAC covers the encrypted content, the
/// initialization vector and the page number. Its key is derived from the file's key and salt.
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

  private var codeCount: Int { algorithm.size }

  private func code(of data: [UInt8]) -> [UInt8]? {
    var code = [UInt8](repeating: 0, count: codeCount)
    let isDone = data.withUnsafeBytes { data in
      code.withUnsafeMutableBytes { key.authenticate(data, algorithm, into: $0) }
    }
    return isDone ? code : nil
  }
}
