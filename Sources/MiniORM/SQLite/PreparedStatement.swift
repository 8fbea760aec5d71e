import CSQLCipher

/// A compiled statement with what is kept beside it between runs, owned by a ``StatementCache``.
@usableFromInline
final class PreparedStatement {
  let pointer: OpaquePointer
  let sql: String
  /// What it reads and writes.
  let access: StatementAccess
  /// Whether its runs change something, or the transaction.
  let isWatched: Bool
  let hasParameters: Bool
  /// Whether it begins or ends a transaction.
  let isTransactionControl: Bool
  // As in the cache, these are read and written whole.

  /// The slot of the ``StatementText`` that it was prepared from, for the cache's direct table.
  @exclusivity(unchecked) var slot: Int?
  /// The ID that distinguishes that text from earlier ones in the same slot; 0 for none.
  @exclusivity(unchecked) var textID = 0
  @exclusivity(unchecked) var isCheckedOut = false
  /// The cache's count of check-outs when this statement was last checked out.
  @exclusivity(unchecked) var lastUse = 0
  /// The part of a transaction to whose changes its own were added last, and whether those of this run
  /// are therefore there already. See ``TransactionWatch``.
  @exclusivity(unchecked) var notedPart = 0
  @exclusivity(unchecked) var isNoted = false

  // Short texts and blobs are copied here instead of having SQLite allocate for each
  // (SQLITE_TRANSIENT): a chunk is never moved while a parameter points into it.
  @exclusivity(unchecked) private var chunk = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  @exclusivity(unchecked) private var used = 0
  @exclusivity(unchecked) private var fullChunks: [UnsafeMutableRawBufferPointer] = []
  private static let largestCopy = 4096
  /// The number of bytes of texts and blobs bound since the last ``reset()``.
  @exclusivity(unchecked) private(set) var boundBytes = 0
  /// Whether a parameter holds memory of SQLite's, or what it was lent, until it is cleared.
  @exclusivity(unchecked) var hasOwnedValue = false
  /// The use of the connection in which it ran last, and whether it keeps its values until that ends.
  @exclusivity(unchecked) var use = 0
  @exclusivity(unchecked) var keepsValues = false
  private static let firstChunk = 4096
  private static let largestKeptChunk = 1 << 18

  init(_ pointer: OpaquePointer, sql: String, _ recorded: RecordedAccess) {
    self.pointer = pointer
    self.sql = sql
    access = StatementAccess(pointer, sql, recorded)
    isWatched = access.kind != .reading
    hasParameters = sqlite3_bind_parameter_count(pointer) > 0
    isTransactionControl = access.kind == .control && access.control == .transaction
  }

  deinit {
    sqlite3_finalize(pointer)
    chunk.deallocate()
    for chunk in fullChunks { chunk.deallocate() }
  }

  @usableFromInline
  func bind(_ text: String, to statement: OpaquePointer, at index: Int32) -> Int32 {
    // Inlined, where a span of it is asked for by two calls.
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

  /// Copies bytes into memory that lasts until ``reset()``. Never returns nil, which SQLite would
  /// take for NULL.
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

  /// Resets the statement so that it can run again, with its parameters still bound.
  /// - Returns: How its last run ended, an error of which has been thrown already.
  @usableFromInline
  @discardableResult
  func reset() -> Int32 { rewind() }

  /// The same, inlined where each look-up pays for a call.
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
    // Nothing may point into a chunk that is freed.
    sqlite3_clear_bindings(pointer)
    for chunk in fullChunks { chunk.deallocate() }
    fullChunks = []
    if chunk.count > Self.largestKeptChunk {
      chunk.deallocate()
      chunk = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }
  }
}
