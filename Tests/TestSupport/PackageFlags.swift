#if os(Linux)
  /// The output of `pkg-config` for SQLCipher and OpenSSL.
  /// - Parameter option: `--cflags` or `--libs`.
  package func packageFlags(_ option: String) throws -> [String] {
    let ended = try ChildProcess.runAndWait("pkg-config", [option, "sqlcipher", "libcrypto"])
    guard ended.status == 0 else {
      throw ChildProcess.Failure(call: "pkg-config: \(ended.output)", code: 0)
    }
    return ended.output.split { $0 == " " || $0 == "\n" }.map(String.init)
  }
#endif
