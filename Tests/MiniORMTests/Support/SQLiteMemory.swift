import CSQLCipher
import Foundation

/// What SQLite has allocated, for a process of its own.
enum SQLiteMemory {
  /// Has SQLite count what it allocates, before it is used for the first time: SQLCipher can be built without.
  /// - Returns: Whether it does.
  static func count() -> Bool { configure(SQLITE_CONFIG_MEMSTATUS, 1) == SQLITE_OK }

  /// Whether it counts: without, it has none allocated, whatever is.
  static var isCounted: Bool {
    let before = used
    let memory = sqlite3_malloc64(1_000)
    defer { sqlite3_free(memory) }
    return used > before
  }

  /// How many bytes are allocated.
  static var used: Int64 { sqlite3_memory_used() }

  // Swift does not call functions with a variable number of arguments.

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
      return nil  // other rules for the arguments
    #endif
  }
}
