#if canImport(CommonCrypto)
  import CommonCrypto
#else
  import COpenSSL
#endif

extension CipherSettings.HashFunction {
  /// The number of bytes of a hash.
  private var size: Int {
    switch self {
    case .sha1: 20
    case .sha256: 32
    case .sha512: 64
    }
  }

  /// Returns the hash of some bytes, computed by the platform's cryptography.
  /// - Throws: A ``DatabaseError`` if the platform fails, for example for want of memory.
  package func hash(of data: [UInt8]) throws(DatabaseError) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: size)
    #if canImport(CommonCrypto)
      let count = CC_LONG(data.count)
      switch self {
      case .sha1: CC_SHA1(data, count, &result)
      case .sha256: CC_SHA256(data, count, &result)
      case .sha512: CC_SHA512(data, count, &result)
      }
    #else
      guard EVP_Digest(data, data.count, &result, nil, digest, nil) == 1 else {
        throw DatabaseError(.read, "The platform's hash function failed")
      }
    #endif
    return result
  }

  /// Returns the HMAC of some bytes, computed by the platform's cryptography.
  /// - Throws: A ``DatabaseError`` if the platform fails, for example for want of memory.
  package func hmac(of data: [UInt8], key: [UInt8]) throws(DatabaseError) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: size)
    let isComputed = code.withUnsafeMutableBytes { code in
      data.withUnsafeBytes { data in
        key.withUnsafeBytes { authenticate(data, key: $0, into: code) }
      }
    }
    guard isComputed else { throw DatabaseError(.read, "The platform's HMAC failed") }
    return code
  }

  /// Writes the HMAC of data. Returns false if the platform's HMAC fails.
  func authenticate(
    _ data: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer,
    into code: UnsafeMutableRawBufferPointer
  ) -> Bool {
    #if canImport(CommonCrypto)
      let function =
        switch self {
        case .sha1: kCCHmacAlgSHA1
        case .sha256: kCCHmacAlgSHA256
        case .sha512: kCCHmacAlgSHA512
        }
      CCHmac(
        CCHmacAlgorithm(function), key.baseAddress, key.count, data.baseAddress, data.count,
        code.baseAddress)
      return true
    #else
      return HMAC(
        digest, key.baseAddress, Int32(key.count),
        data.assumingMemoryBound(to: UInt8.self).baseAddress, data.count,
        code.assumingMemoryBound(to: UInt8.self).baseAddress, nil) != nil
    #endif
  }
}
