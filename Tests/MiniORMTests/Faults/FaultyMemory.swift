#if os(Linux)
  import CSQLCipher
  import Foundation
  import Synchronization

  @testable import MiniORM

  /// Fails SQLite's allocations, in a separate process.
  ///
  /// See [SQLITE_CONFIG_MALLOC](https://www.sqlite.org/c3ref/c_config_covering_index_scan.html).
  enum FaultyMemory {
    /// The number of allocations left before the failure.
    private static let left = Atomic(Int.max)
    private static let lasts = Atomic(false)
    private static let failed = Atomic(0)

    /// Arms a failure.
    /// - Parameters:
    ///   - number: The failing allocation, from 1.
    ///   - lasting: True if all later allocations fail too.
    static func arm(_ number: Int, lasting: Bool) {
      failed.store(0, ordering: .sequentiallyConsistent)
      lasts.store(lasting, ordering: .sequentiallyConsistent)
      keying.store(false, ordering: .sequentiallyConsistent)
      left.store(number, ordering: .sequentiallyConsistent)
    }

    static func disarm() { left.store(.max, ordering: .sequentiallyConsistent) }

    /// The number of failures since ``arm(_:lasting:)``.
    static var struck: Int { failed.load(ordering: .sequentiallyConsistent) }

    /// True if SQLCipher's allocation failed while it attached the codec. SQLCipher then leaks the
    /// memory allocated so far (`sqlcipherCodecAttach`).
    static var hasStruckKeying: Bool { keying.load(ordering: .sequentiallyConsistent) }
    private static let keying = Atomic(false)
    /// The maximum size of that leak, in bytes.
    static let largestKeying: Int64 = 4_800

    /// True if an exported function of SQLCipher is on the call stack.
    ///
    /// See [backtrace](https://www.gnu.org/software/libc/manual/html_node/Backtraces.html), which
    /// Swift does not import.
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

    /// The number of allocations, if armed with `Int.max`.
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

    // SQLite's own functions. They are set once, before any thread allocates memory.
    nonisolated(unsafe) fileprivate static var below = sqlite3_mem_methods()

    /// The sizes of allocations that never fail, because SQLCipher 4.6.1 would crash. If copying
    /// the key's text fails, it frees the text twice (`sqlcipher_cipher_ctx_copy`). If its 64-byte
    /// HMAC buffer is missing, it still compares the buffer
    /// (`sqlcipher_codec_ctx_integrity_check`). The sizes 67, 99 and 64 are rounded up to 8.
    nonisolated(unsafe) private static var spared: [Int32] = []

    /// Replaces SQLite's allocator, before the first use of SQLite.
    /// - Returns: False on failure.
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
      // Disables lookaside memory, which would serve small allocations without calling the
      // allocator.
      guard SQLiteMemory.configure(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK,
        SQLiteMemory.configure(SQLITE_CONFIG_LOOKASIDE, 0, 0) == SQLITE_OK
      else { return false }
      if !CodecState.lasts { spared = [64, 72, 104] }
      return true
    }
  }
#endif
