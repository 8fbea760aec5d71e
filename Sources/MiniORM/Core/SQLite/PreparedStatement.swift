import CSQLCipher

@usableFromInline
final class PreparedStatement {
  let pointer: OpaquePointer
  let sql: String
  let access: StatementAccess
  /// True if a run changes data or the transaction.
  let isWatched: Bool
  let hasParameters: Bool

  var isCheckedOut = false
  /// The cache's count of check-outs at the last check-out of this statement.
  var lastUse = 0
  /// The part of the transaction that already records this statement's changes, and a flag for the
  /// current run. See ``TransactionWatch``.
  var notedPart = 0
  var isNoted = false

  // Memory for short texts and blobs, which avoids an allocation by SQLite for each value
  // (SQLITE_TRANSIENT). A chunk never moves while a parameter points to it.
  private var chunk = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var used = 0
  private var fullChunks: [UnsafeMutableRawBufferPointer] = []
  private static let largestCopy = 4096
  /// The number of bytes of texts and blobs bound since the last ``reset()``.
  private(set) var boundBytes = 0
  /// True while a parameter holds memory of SQLite, or a lent pointer.
  var hasOwnedValue = false
  /// The connection use of the last run, and a flag for values kept until the end of that use.
  var use = 0
  var keepsValues = false
  private static let firstChunk = 4096
  private static let largestKeptChunk = 1 << 18

  init(_ pointer: OpaquePointer, sql: String, _ recorded: RecordedAccess) {
    self.pointer = pointer
    self.sql = sql
    access = StatementAccess(pointer, sql, recorded)
    isWatched = access.kind != .reading
    hasParameters = sqlite3_bind_parameter_count(pointer) > 0
  }

  deinit {
    sqlite3_finalize(pointer)
    chunk.deallocate()
    for chunk in fullChunks { chunk.deallocate() }
  }

  @usableFromInline
  func bind(_ text: String, to statement: OpaquePointer, at index: Int32) -> Int32 {
    // This closure is inlined, unlike a span used in two calls.
    let code = text.utf8.withContiguousStorageIfAvailable {
      bind(utf8: $0, to: statement, at: index)
    }
    if let code { return code }
    var text = text
    return text.withUTF8 { bind(utf8: $0, to: statement, at: index) }
  }

  @inline(__always)
  private func bind(
    utf8 bytes: UnsafeBufferPointer<UInt8>, to statement: OpaquePointer, at index: Int32
  ) -> Int32 {
    let raw = UnsafeRawBufferPointer(bytes)
    boundBytes += raw.count
    if raw.count <= Self.largestCopy {
      return sqlite3_bind_text64(
        statement, index, copy(raw), UInt64(raw.count), nil, UInt8(SQLITE_UTF8))
    }
    hasOwnedValue = true
    return sqlite3_bind_text64(
      statement, index, raw.baseAddress, UInt64(raw.count), miniorm_transient(),
      UInt8(SQLITE_UTF8))
  }

  @usableFromInline
  func bind(_ bytes: UnsafeRawBufferPointer, to statement: OpaquePointer, at index: Int32) -> Int32
  {
    boundBytes += bytes.count
    if bytes.count <= Self.largestCopy {
      return sqlite3_bind_blob64(statement, index, copy(bytes), UInt64(bytes.count), nil)
    }
    hasOwnedValue = true
    return sqlite3_bind_blob64(
      statement, index, bytes.baseAddress, UInt64(bytes.count), miniorm_transient())
  }

  /// Copies bytes into memory valid until ``reset()``. Never returns nil, which SQLite would bind
  /// as NULL.
  @inline(__always)
  private func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer? {
    if chunk.count - used < bytes.count || chunk.baseAddress == nil { grow(for: bytes.count) }
    let target = UnsafeMutableRawBufferPointer(rebasing: chunk[used..<(used + bytes.count)])
    let start = chunk.baseAddress.map { $0 + used }
    target.copyMemory(from: bytes)
    used += bytes.count
    return start
  }

  @inline(never)
  private func grow(for count: Int) {
    let size = max(Self.firstChunk, count, chunk.count * 2)
    if chunk.baseAddress != nil { fullChunks.append(chunk) }
    chunk = .allocate(byteCount: size, alignment: 16)
    used = 0
  }

  /// Keeps the bound values. Returns the result code of the last run.
  @usableFromInline
  @discardableResult
  func reset() -> Int32 { rewind() }

  @inline(__always)
  func rewind() -> Int32 {
    let code = sqlite3_reset(pointer)
    used = 0
    boundBytes = 0
    if !fullChunks.isEmpty { freeFullChunks() }
    return code
  }

  @inline(never)
  private func freeFullChunks() {
    // No parameter may point into a freed chunk.
    sqlite3_clear_bindings(pointer)
    for chunk in fullChunks { chunk.deallocate() }
    fullChunks = []
    if chunk.count > Self.largestKeptChunk {
      chunk.deallocate()
      chunk = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }
  }
}
