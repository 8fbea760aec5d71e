#if os(Linux)
  import CSQLCipher
  import Foundation
  import Synchronization

  @testable import MiniORM

  /// Lets allocations of SQLite fail, for a process of its own.
  ///
  /// See [SQLITE_CONFIG_MALLOC](https://www.sqlite.org/c3ref/c_config_covering_index_scan.html).
  enum FaultyMemory {
    /// How many allocations are left until the one that fails.
    private static let left = Atomic(Int.max)
    private static let lasts = Atomic(false)
    private static let failed = Atomic(0)

    /// Lets an allocation fail from now on.
    /// - Parameters:
    ///   - number: Which, from 1.
    ///   - lasting: Whether all that follow fail too.
    static func arm(_ number: Int, lasting: Bool) {
      failed.store(0, ordering: .sequentiallyConsistent)
      lasts.store(lasting, ordering: .sequentiallyConsistent)
      keying.store(false, ordering: .sequentiallyConsistent)
      left.store(number, ordering: .sequentiallyConsistent)
    }

    /// Lets every allocation succeed again.
    static func disarm() { left.store(.max, ordering: .sequentiallyConsistent) }

    /// How many allocations have failed since ``arm(_:lasting:)``.
    static var struck: Int { failed.load(ordering: .sequentiallyConsistent) }

    /// Whether one of those was SQLCipher's while it began to encrypt or decrypt a file. It does not free what it has
    /// allocated for that by then (`sqlcipherCodecAttach`), and nobody else can.
    static var hasStruckKeying: Bool { keying.load(ordering: .sequentiallyConsistent) }
    private static let keying = Atomic(false)
    /// As much as that can be.
    static let largestKeying: Int64 = 4_800

    /// Whether a function that SQLCipher exports is one of the callers.
    ///
    /// See [backtrace](https://www.gnu.org/software/libc/manual/html_node/Backtraces.html), which Swift does not import.
    private static var isCalledByKeying: Bool {
      var callers = [UnsafeMutableRawPointer?](repeating: nil, count: 16)
      let count = callerFunctions.list(&callers, 16)
      guard let names = callerFunctions.names(&callers, count) else { return false }
      defer { free(names) }
      return (0..<Int(count)).contains { number in
        names[number].map { strstr($0, "sqlcipherCodecAttach") != nil } ?? false
      }
    }

    private struct CallerFunctions {
      typealias Places = UnsafeMutablePointer<UnsafeMutableRawPointer?>
      typealias Names = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
      let list: @convention(c) (Places, Int32) -> Int32
      let names: @convention(c) (Places, Int32) -> Names?

      init() {
        list = Self.function("backtrace")
        names = Self.function("backtrace_symbols")
      }

      private static func function<Function>(_ name: String) -> Function {
        unsafeBitCast(dlsym(nil, name), to: Function.self)
      }
    }
    private static let callerFunctions = CallerFunctions()

    /// How many allocations there have been, where the number was the greatest.
    static var count: Int { .max &- left.load(ordering: .sequentiallyConsistent) }

    fileprivate static func strikes(_ size: Int32) -> Bool {
      guard !spared.contains(size) else { return false }
      let number = left.subtract(1, ordering: .sequentiallyConsistent).oldValue
      guard number == 1 || (number < 1 && lasts.load(ordering: .sequentiallyConsistent)) else {
        return false
      }
      failed.add(1, ordering: .sequentiallyConsistent)
      if isCalledByKeying { keying.store(true, ordering: .sequentiallyConsistent) }
      return true
    }

    // SQLite's own functions, which are set once, before any thread asks for memory.
    nonisolated(unsafe) fileprivate static var below = sqlite3_mem_methods()

    /// What does not fail with SQLCipher 4.6.1, since it ends the process there. It would free the text of a key twice where it
    /// cannot copy it (`sqlcipher_cipher_ctx_copy`), and compares codes of 64 bytes where it has no memory for them
    /// (`sqlcipher_codec_ctx_integrity_check`). These are 67, 99 and 64 bytes, in units of 8.
    nonisolated(unsafe) private static var spared: [Int32] = []

    /// Puts itself between SQLite and its memory, before SQLite is used for the first time.
    /// - Returns: Whether it could.
    static func install() -> Bool {
      guard SQLiteMemory.count(),
        SQLiteMemory.configure(SQLITE_CONFIG_GETMALLOC, &below) == SQLITE_OK
      else { return false }
      var methods = below
      methods.xMalloc = { count in
        FaultyMemory.strikes(count) ? nil : FaultyMemory.below.xMalloc(count)
      }
      methods.xRealloc = { memory, count in
        FaultyMemory.strikes(count) ? nil : FaultyMemory.below.xRealloc(memory, count)
      }
      // What is small comes from memory that each connection has ready, where nothing can fail.
      guard SQLiteMemory.configure(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK,
        SQLiteMemory.configure(SQLITE_CONFIG_LOOKASIDE, 0, 0) == SQLITE_OK
      else { return false }
      if !CodecState.lasts { spared = [64, 72, 104] }
      return true
    }
  }
#endif
