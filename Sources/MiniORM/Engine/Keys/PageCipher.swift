#if canImport(CommonCrypto)
  import CommonCrypto
#else
  import COpenSSL
#endif

/// Decrypts single pages of a damaged file, without verifying the HMAC: after the first damaged
/// page, SQLCipher rejects all others.
///
/// Pages are encrypted with AES-256 in CBC mode, and end with the initialization vector and the
/// HMAC. The first page begins with the salt in place of SQLite's first 16 bytes, or with a
/// plaintext header.
///
/// See [SQLCipher's design](https://www.zetetic.net/sqlcipher/design/).
package struct PageCipher {
  private static let header = Array("SQLite format 3\0".utf8)
  private static let vectorCount = 16

  private let key: SecretBytes
  private let reserved: Int
  private let plainCount: Int

  package init(_ cipher: CipherKey, reserved: Int) {
    self.reserved = reserved
    plainCount = cipher.settings.plaintextHeaderSize
    key = cipher.bytes
  }

  func decrypt(_ page: [UInt8], isFirst: Bool) -> [UInt8]? {
    let head = plainCount > 0 ? Array(page.prefix(plainCount)) : Self.header
    let offset = isFirst ? head.count : 0
    let end = page.count - reserved
    guard reserved >= Self.vectorCount, end > offset, (end - offset) % 16 == 0 else { return nil }
    var output = [UInt8](repeating: 0, count: end)
    if isFirst { output.replaceSubrange(0..<offset, with: head) }
    let isDone = page.withUnsafeBytes { page in
      output.withUnsafeMutableBytes { output in
        decrypt(
          UnsafeRawBufferPointer(rebasing: page[offset..<end]),
          vector: UnsafeRawBufferPointer(rebasing: page[end..<end + Self.vectorCount]),
          into: UnsafeMutableRawBufferPointer(rebasing: output[offset..<end]))
      }
    }
    return isDone ? output : nil
  }

  private func decrypt(
    _ input: UnsafeRawBufferPointer, vector: UnsafeRawBufferPointer,
    into output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    key.withBytes { key in
      #if canImport(CommonCrypto)
        var count = 0
        let code = CCCrypt(
          CCOperation(kCCDecrypt), CCAlgorithm(kCCAlgorithmAES), CCOptions(0), key.baseAddress,
          key.count, vector.baseAddress, input.baseAddress, input.count, output.baseAddress,
          output.count, &count)
        return code == kCCSuccess && count == input.count
      #else
        guard let context = EVP_CIPHER_CTX_new() else { return false }
        defer { EVP_CIPHER_CTX_free(context) }
        func bytes(_ pointer: UnsafeRawBufferPointer) -> UnsafePointer<UInt8>? {
          pointer.assumingMemoryBound(to: UInt8.self).baseAddress
        }
        guard
          EVP_DecryptInit_ex(context, EVP_aes_256_cbc(), nil, bytes(key), bytes(vector)) == 1,
          EVP_CIPHER_CTX_set_padding(context, 0) == 1
        else { return false }
        var count: Int32 = 0
        return EVP_DecryptUpdate(
          context, output.assumingMemoryBound(to: UInt8.self).baseAddress, &count, bytes(input),
          Int32(input.count)) == 1 && Int(count) == input.count
      #endif
    }
  }
}
