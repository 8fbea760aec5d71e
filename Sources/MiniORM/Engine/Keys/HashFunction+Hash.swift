#if canImport(CommonCrypto)
  import CommonCrypto
#else
  import COpenSSL
#endif

extension CipherSettings.HashFunction {
  /// The number of bytes of a hash.
  package var size: Int {
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

  /// Writes the HMAC of data. Returns false if the platform's HMAC fails.
  package func authenticate(
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

  #if !canImport(CommonCrypto)
    var digest: OpaquePointer? {
      switch self {
      case .sha1: EVP_sha1()
      case .sha256: EVP_sha256()
      case .sha512: EVP_sha512()
      }
    }
  #endif
}

extension SecretBytes {
  /// Writes the HMAC of data, with these bytes as the key. Returns false if the platform's HMAC
  /// fails.
  package func authenticate(
    _ data: UnsafeRawBufferPointer, _ algorithm: CipherSettings.HashFunction,
    into code: UnsafeMutableRawBufferPointer
  ) -> Bool {
    withBytes { algorithm.authenticate(data, key: UnsafeRawBufferPointer($0), into: code) }
  }
}
