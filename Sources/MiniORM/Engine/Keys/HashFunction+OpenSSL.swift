#if !canImport(CommonCrypto)
  import COpenSSL

  extension CipherSettings.HashFunction {
    var digest: OpaquePointer? {
      switch self {
      case .sha1: EVP_sha1()
      case .sha256: EVP_sha256()
      case .sha512: EVP_sha512()
      }
    }
  }
#endif
