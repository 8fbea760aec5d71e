import CSQLCipher
import Foundation

/// SQLite's allocated memory, for tests in a separate process.
enum SQLiteMemory {
  /// Enables SQLite's memory statistics, before the first use of SQLite. SQLCipher may be built without them.
  /// - Returns: False on failure.
  static func count() -> Bool { configure(SQLITE_CONFIG_MEMSTATUS, 1) == SQLITE_OK }

  /// False if memory statistics are disabled: ``used`` is then always 0.
  static var isCounted: Bool {
    let before = used
    let memory = sqlite3_malloc64(1_000)
    defer { sqlite3_free(memory) }
    return used > before
  }

  /// The number of allocated bytes.
  static var used: Int64 { sqlite3_memory_used() }

  // `sqlite3_config` is variadic, and Swift cannot call variadic C functions.

  static func configure(_ option: Int32, _ number: Int32) -> Int32 {
    function((@convention(c) (Int32, Int32) -> Int32).self)?(option, number) ?? SQLITE_ERROR
  }

  static func configure(_ option: Int32, _ number: Int32, _ other: Int32) -> Int32 {
    function((@convention(c) (Int32, Int32, Int32) -> Int32).self)?(option, number, other)
      ?? SQLITE_ERROR
  }

  static func configure(_ option: Int32, _ methods: inout sqlite3_mem_methods) -> Int32 {
    function((@convention(c) (Int32, UnsafeMutableRawPointer?) -> Int32).self)?(option, &methods)
      ?? SQLITE_ERROR
  }

  private static func function<Function>(_ type: Function.Type) -> Function? {
    #if os(Linux)
      return dlsym(nil, "sqlite3_config").map { unsafeBitCast($0, to: type) }
    #else
      return nil  // another calling convention for variadic functions
    #endif
  }
}
