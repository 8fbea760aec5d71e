import CSQLCipher
import Foundation
import Testing

@testable import MiniORM

/// A unique secret, kept in memory only in masked form.
private struct MaskedSecret: Sendable {
  private static let mask: UInt8 = 0xA5
  let masked: [UInt8]

  init(masked: [UInt8]) { self.masked = masked }

  /// Random letters.
  init(count: Int) {
    masked = (0..<count).map { _ in
      UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z")) ^ Self.mask
    }
  }

  /// The secret's bytes, unmasked lazily.
  var bytes: some Collection<UInt8> { masked.lazy.map { $0 ^ Self.mask } }

  /// The hexadecimal key text for SQLCipher, and the key's bytes.
  static func derived(_ key: CipherKey) -> [MaskedSecret] {
    let digits = key.text.withBytes { text in text[2..<66].map { $0 ^ mask } }
    func value(_ digit: UInt8) -> UInt8 {
      let digit = digit ^ mask
      return digit < UInt8(ascii: "a") ? digit & 15 : digit - UInt8(ascii: "a") + 10
    }
    let bytes = stride(from: 0, to: 64, by: 2).map { index in
      (value(digits[index]) << 4 | value(digits[index + 1])) ^ mask
    }
    return [MaskedSecret(masked: digits), MaskedSecret(masked: bytes)]
  }

  /// The number of occurrences of the first or the last 16 bytes.
  func occurrences(in memory: UnsafeRawBufferPointer) -> Int {
    let part = min(16, masked.count)
    return [masked.prefix(part), masked.suffix(part)].map { Self.count(Array($0), memory) }
      .reduce(0, +)
  }

  private static func count(_ needle: [UInt8], _ memory: UnsafeRawBufferPointer) -> Int {
    guard var start = memory.baseAddress else { return 0 }
    let end = start + memory.count
    var count = 0
    while end - start >= needle.count,
      let found = memchr(start, Int32(needle[0] ^ mask), end - start - needle.count + 1)
    {
      let candidate = found.assumingMemoryBound(to: UInt8.self)
      var length = 1
      while length < needle.count, candidate[length] ^ mask == needle[length] { length += 1 }
      if length == needle.count { count += 1 }
      start = UnsafeRawPointer(found) + 1
    }
    return count
  }
}

@Suite("Traces of keys")
struct KeyLeakTests {
  #if os(Linux)
    /// The number of occurrences of each secret in the memory of this process.
    private static func scan(_ secrets: [MaskedSecret]) throws -> [Int] {
      let memory = open("/proc/self/mem", O_RDONLY)
      try #require(memory >= 0)
      defer { close(memory) }
      let size = 1 << 20
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size + 64, alignment: 16)
      defer { buffer.deallocate() }
      let own = UInt(bitPattern: buffer.baseAddress)
      var counts = secrets.map { _ in 0 }
      var total = 0
      for line in try lines(of: "/proc/self/maps") {
        let fields = line.split(separator: " ")
        let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        guard bounds.count == 2, fields[1].hasPrefix("rw") else { continue }
        var start = bounds[0]
        while start < bounds[1] {
          // Skips the scan's own buffer.
          if start < own + UInt(size) + 64, own < start + UInt(size) {
            start = max(start + 4_096, min(bounds[1], (own + UInt(size) + 64) & ~4_095 + 4_096))
            continue
          }
          let count = min(UInt(size) + 64, bounds[1] - start)
          let read = pread(memory, buffer.baseAddress, Int(count), off_t(start))
          guard read > 0 else { break }
          total += read
          let part = UnsafeRawBufferPointer(rebasing: buffer[..<read])
          for (index, secret) in secrets.enumerated() {
            counts[index] += secret.occurrences(in: part)
          }
          start += UInt(size)
        }
      }
      _ = buffer.initializeMemory(as: UInt8.self, repeating: 0)
      try #require(total > 1 << 20)
      return counts
    }

    /// The lines of a /proc file, whose reported size is 0.
    private static func lines(of path: String) throws -> [Substring] {
      let file = try #require(FileHandle(forReadingAtPath: path))
      var data = Data()
      while let part = try file.read(upToCount: 1 << 16), !part.isEmpty { data += part }
      return String(decoding: data, as: UTF8.self).split(separator: "\n")
    }

    // Runs in a separate process, without other keys in memory.
    @Test("after closing, neither a passphrase nor its derived key is in the process's memory")
    func passphraseInMemory() async throws {
      await #expect(processExitsWith: .success) {
        let secret = MaskedSecret(count: 48)
        try await Self.expectGone(secret) { .passphrase(bytes: secret.bytes) }
      }
    }

    @Test("after closing, a raw key is not in the process's memory")
    func rawKeyInMemory() async throws {
      await #expect(processExitsWith: .success) {
        let secret = MaskedSecret(count: 32)
        try await Self.expectGone(secret) { .raw(secret.bytes) }
      }
    }

    /// Uses a key in every way, and scans memory during use and afterwards.
    private static func expectGone(
      _ secret: MaskedSecret, _ key: @Sendable () -> Key
    ) async throws {
      try await withTemporaryPath { path in
        try #require(try scan([secret]).allSatisfy { $0 == 0 })
        let all = try await use(key, secret, path)
        // Overwrites the stacks of pool threads.
        for _ in 0..<8 { await Task.detached { _ = [UInt8](repeating: 0, count: 1 << 16) }.value }
        let left = try scan(all)
        try #require(left.allSatisfy { $0 == 0 }, "\(left)")
      }
    }

    private static func use(
      _ key: @Sendable () -> Key, _ secret: MaskedSecret, _ path: String
    ) async throws -> [MaskedSecret] {
      let database = try await Database(path: path) { key() }
      try await database.write {
        try $0.execute(script: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
      }
      let salt = try #require(await database.writer.cipher?.salt)
      let all =
        try [secret] + MaskedSecret.derived(CipherKey(key(), fileSalt: salt))
      // Control: the scan finds the key and the connections' key text. SQLCipher 4.19 masks the
      // key's bytes.
      let held = key()
      let found = try scan(all)
      try #require(found[0] > 0 && found[1] > 0, "\(found)")
      withExtendedLifetime(held) {}
      try await database.attach(path + "-other", as: "other", key: key())
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask { _ = try await database.read { try $0.query("SELECT a FROM t") } }
        }
        try await group.waitForAll()
      }
      try await database.changeKey(to: .raw([UInt8](repeating: 5, count: 32)))
      try await database.changeKey(to: key())
      try await database.export(to: path + "-copy", key: key())
      try await database.close()
      try await Database.decrypt(path: path + "-copy", key: key())
      try await Database.encrypt(path: path + "-copy", key: key())
      _ = try? await Database(path: path + "-copy", key: .raw([UInt8](repeating: 6, count: 32)))
      let refused: Database? = try? await Database(path: path + "-none/a", key: key())
      try #require(refused == nil)
      let (rotated, index) = try await Database.open(
        path: path, keys: [.raw([UInt8](repeating: 7, count: 32)), key()])
      try #require(index == 1)
      try await rotated.close()
      return all
    }

    @Test("key bytes are excluded from core dumps, and from swap space where possible")
    func pages() throws {
      let secret = SecretBytes([1, 2, 3])
      let address = secret.withBytes { UInt(bitPattern: $0.baseAddress) }
      let page = mmap(nil, 4_096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      let canLock = mlock(page, 4_096) == 0
      munmap(page, 4_096)
      var flags: [Substring] = []
      var isInside = false
      for line in try Self.lines(of: "/proc/self/smaps") {
        let fields = line.split(separator: " ")
        let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        if bounds.count == 2 { isInside = (bounds[0]..<bounds[1]).contains(address) }
        if isInside, fields[0] == "VmFlags:" { flags = Array(fields.dropFirst()) }
      }
      withExtendedLifetime(secret) {}
      #expect(flags.contains("dd"), "\(flags)")
      if canLock { #expect(flags.contains("lo"), "\(flags)") }
    }
  #endif

  // Runs in a separate process, because the log is process-wide.
  @Test("SQLCipher's log contains neither a key nor a licence, at any level")
  func log() async throws {
    await #expect(processExitsWith: .success) {
      try await withTemporaryPath { path in
        var other: OpaquePointer?
        defer { sqlite3_close_v2(other) }
        try #require(sqlite3_open(":memory:", &other) == SQLITE_OK)
        let sql = "PRAGMA cipher_log = '\(path).log'; PRAGMA cipher_log_level = DEBUG"
        try #require(sqlite3_exec(other, sql, nil, nil, nil) == SQLITE_OK)
        var configuration = Configuration()
        configuration.cipherLogLevel = nil
        configuration.cipherLicense = CipherLicense("licence-of-nobody")
        configuration.cipher.kdfIterations = 17
        for key in [Key.passphrase("phrase-of-nobody"), .raw(testKeyBytes)] {
          let database = try await Database(path: path, key: key, configuration: configuration)
          try await database.attach(path + "2", as: "other", key: key)
          try await database.changeKey(to: .passphrase("phrase-of-nobody-2"))
          try await database.changeKey(to: .raw(testKeyBytes))
          try await database.close()
          try Database.delete(path: path + "2")
        }
        try #require(sqlite3_exec(other, "PRAGMA cipher_log = off", nil, nil, nil) == SQLITE_OK)
        let text = try String(contentsOfFile: path + ".log", encoding: .utf8)
        // Control: the log contains other text.
        try #require(text.contains("zLeft=kdf_iter zRight=17"))
        for secret in [
          "of-nobody", testKeyBytes.hexadecimal, testKeyBytes.hexadecimal.uppercased(),
        ] {
          try #require(!text.contains(secret))
        }
      }
    }
  }

  @Test("a key is in no file, no error, no description and no dump")
  func everywhere() async throws {
    let text = "phrase-that-nobody-has-\(UUID().uuidString)"
    var bytes = Array("sentinel-raw-key".utf8)
    while bytes.count < 32 { bytes.append(UInt8.random(in: 1...255)) }
    let keys = [Key.passphrase(text), .raw(bytes), .raw(bytes, salt: [UInt8](3...18))]
    let needles = [
      Data(text.utf8), Data(bytes), Data(bytes.hexadecimal.utf8),
      Data(bytes.hexadecimal.uppercased().utf8), Data(Data(bytes).base64EncodedString().utf8),
      Data(bytes.prefix(6).map(String.init).joined(separator: ", ").utf8),
      Data(Array(text.utf8).prefix(6).map(String.init).joined(separator: ", ").utf8),
    ]
    func found(in data: Data) -> [Int] {
      needles.indices.filter { data.range(of: needles[$0]) != nil }
    }
    func found(inDumpOf value: Any) -> [Int] {
      var text =
        "\(value)\n\(String(reflecting: value))\n\(Mirror(reflecting: value).children)\n"
      dump(value, to: &text)
      return found(in: Data(text.utf8))
    }
    func found(inFilesOf folder: String) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
        found(in: try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))) != []
      }
    }
    for key in keys {
      try await withTemporaryDirectory { folder throws in
        let path = folder + "/a.db"
        let database = try await Database(path: path, key: key)
        try await database.write {
          try $0.execute(script: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        }
        #expect(try found(inFilesOf: folder) == [])
        try await database.attach(path + "-other", as: "other", key: key)
        try await database.changeKey(to: .raw(testKeyBytes))
        try await database.changeKey(to: key)
        try await database.export(to: path + "-copy", key: key)
        #expect(try found(inFilesOf: folder) == [])
        let other = path + "-plain"
        try await Database(path: other, key: nil).close()
        try await Database.encrypt(path: other, key: key)
        #expect(try found(inFilesOf: folder) == [])
        var errors: [DatabaseError] = []
        let wrong = Key.raw(testKeyBytes)
        for body in [
          { try await Database(path: path, key: wrong).close() },
          { try await Database(path: path + "-copy", key: nil).close() },
          { try await Database(path: folder, key: key).close() },
          { try await Database.open(path: path, keys: [wrong]).database.close() },
          { try await database.attach(path, as: "main", key: key) },
          { try await database.attach(folder, as: "folder", key: key) },
          { try await database.attach(path + "-copy", as: "x", key: wrong) },
          { try await database.export(to: path, key: key) },
          { try await Database.encrypt(path: path, key: key) },
          { try await Database.decrypt(path: path + "-copy", key: wrong) },
          { try await Database.upgrade(path: path + "-copy", key: wrong) },
          { try await database.write { _ = try $0.execute("PRAGMA key = \(raw: "'\(text)'")") } },
          {
            try await database.write {
              _ = try $0.execute("ATTACH 'x' AS y KEY \(raw: "'\(text)'") (")
            }
          },
          {
            try await database.write {
              _ = try $0.execute("PRAGMA cipher_license = \(raw: "'\(text)'") (")
            }
          },
        ] as [@Sendable () async throws -> Void] {
          errors.append(try await failure(body))
        }
        for error in errors {
          #expect(found(inDumpOf: error) == [])
          let texts = [error.errorDescription, error.failureReason, error.sql]
          #expect(found(inDumpOf: texts) == [])
        }
        let cipher = try CipherKey(key, fileSalt: nil)
        for value in [key, cipher, cipher.text, database, database.writer.state, database.pool]
          as [Any]
        {
          #expect(found(inDumpOf: value) == [], "\(type(of: value))")
        }
        let held = await database.writer.cipher
        #expect(found(inDumpOf: held as Any) == [])
        try await database.close()
        #expect(try found(inFilesOf: folder) == [])
        // Control: each scan finds planted text.
        try (Data([0]) + Data(text.utf8)).write(to: URL(fileURLWithPath: folder + "/planted"))
        #expect(try found(inFilesOf: folder) == ["planted"])
        #expect(found(inDumpOf: [text]) == [0])
        #expect(found(inDumpOf: bytes) == [5])
        #expect(found(inDumpOf: Array(text.utf8)) == [6])
      }
    }
  }
}
