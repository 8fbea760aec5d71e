#if os(Linux)
  import CSQLCipher
  import Foundation
  import Synchronization

  /// A VFS between SQLite and the files of a process. It fails chosen calls and records the changes
  /// that a power cut would lose.
  ///
  /// It becomes SQLite's default VFS, so all MiniORM connections use it. Connections that name the
  /// system's VFS, ``real``, bypass it.
  ///
  /// See [The SQLite OS Interface or "VFS"](https://www.sqlite.org/vfs.html).
  enum FaultyDisk {
    /// A kind of call that can fail, or a kind of failure.
    enum Call: String, CaseIterable, Sendable {
      case open, read, write, partialWrite, full, sync, truncate, size, lock, delete, access
      case sharedMemory, sharedLock

      /// The result code returned to SQLite.
      var code: Int32 {
        switch self {
        case .open: SQLITE_CANTOPEN
        case .read: SQLITE_IOERR | (1 << 8)
        case .write, .partialWrite: SQLITE_IOERR | (3 << 8)
        case .full: SQLITE_FULL
        case .sync: SQLITE_IOERR | (4 << 8)
        case .truncate: SQLITE_IOERR | (6 << 8)
        case .size: SQLITE_IOERR | (7 << 8)
        case .lock: SQLITE_IOERR | (15 << 8)
        case .delete: SQLITE_IOERR | (10 << 8)
        case .access: SQLITE_IOERR | (13 << 8)
        case .sharedMemory: SQLITE_IOERR | (21 << 8)
        case .sharedLock: SQLITE_IOERR | (20 << 8)
        }
      }
    }

    private struct Plan {
      var call: Call
      /// The number of calls left before the failure.
      var left: Int
      var lasts: Bool
      /// True while calls neither count nor fail.
      var rests = false
      var struck = 0
    }

    private static let plan = Mutex<Plan?>(nil)
    private static let recorded = Mutex<DiskRecord?>(nil)

    /// The name of the underlying VFS.
    static let real = "unix"

    /// Arms a failure.
    /// - Parameters:
    ///   - number: The failing call, from 1.
    ///   - lasting: True if all later calls fail too.
    static func arm(_ call: Call, _ number: Int, lasting: Bool) {
      plan.withLock { $0 = Plan(call: call, left: number, lasts: lasting) }
    }

    /// The number of failures since ``arm(_:_:lasting:)``.
    static var struck: Int { plan.withLock { $0?.struck ?? 0 } }

    /// The number of calls of the armed kind, if armed with `Int.max`.
    static var count: Int { plan.withLock { .max &- ($0?.left ?? .max) } }

    /// Pauses or resumes counting and failing.
    static func pause(_ rests: Bool) { plan.withLock { $0?.rests = rests } }

    static func disarm() { plan.withLock { $0 = nil } }

    /// The recorder of writes and syncs; nil by default.
    static var record: DiskRecord? {
      get { recorded.withLock { $0 } }
      set { recorded.withLock { $0 = newValue } }
    }

    /// Counts a call and returns the failure if due.
    fileprivate static func failure(_ calls: Call...) -> Call? {
      plan.withLock { plan in
        guard var armed = plan, !armed.rests, calls.contains(armed.call) else { return nil }
        armed.left -= 1
        let strikes = armed.left == 0 || (armed.left < 0 && armed.lasts)
        if strikes {
          armed.struck += 1
          errno = armed.call == .open ? EMFILE : EIO
        }
        plan = armed
        return strikes ? armed.call : nil
      }
    }

    /// The number of times that SQLite still sees a journal, even if the file is gone. The file
    /// system reports a journal that way if a rollback happens between two checks.
    static let phantomJournals = Atomic(0)

    fileprivate static func seesPhantom(_ name: UnsafePointer<CChar>?) -> Bool {
      guard let name, strstr(name, "-journal") != nil, phantomJournals.load(ordering: .relaxed) > 0
      else { return false }
      return phantomJournals.subtract(1, ordering: .relaxed).oldValue > 0
    }

    /// Registers itself as the default VFS.
    /// - Returns: False on failure.
    static func install() -> Bool {
      guard SQLiteMemory.count(), let below = sqlite3_vfs_find(real) else { return false }
      let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
      layer.initialize(to: below.pointee)
      layer.pointee.szOsFile = Int32(Handle.offset) + below.pointee.szOsFile
      layer.pointee.pNext = nil
      layer.pointee.zName = UnsafePointer(strdup("miniorm-faulty"))
      layer.pointee.xOpen = openFile
      layer.pointee.xDelete = deleteFile
      layer.pointee.xAccess = accessFile
      return sqlite3_vfs_register(layer, 1) == SQLITE_OK
    }
  }

  /// SQLite's file handle. Layout: the methods that SQLite reads, this layer's fields, the
  /// underlying handle.
  private struct Handle {
    var methods: UnsafePointer<sqlite3_io_methods>?
    /// The file's number in the record plus 1; 0 without a record.
    var number: Int32
    /// True if the first sync also syncs the folder, as SQLite does for new journals.
    var syncsFolder: Bool

    static let offset = 16
  }

  private typealias File = UnsafeMutablePointer<sqlite3_file>

  private var below: UnsafeMutablePointer<sqlite3_vfs>? { sqlite3_vfs_find(FaultyDisk.real) }

  // SQLite passes a file to each call.
  private func handle(_ file: File?) -> UnsafeMutablePointer<Handle> {
    UnsafeMutableRawPointer(file.unsafelyUnwrapped).assumingMemoryBound(to: Handle.self)
  }

  private func inner(_ file: File?) -> File {
    (UnsafeMutableRawPointer(file.unsafelyUnwrapped) + Handle.offset).assumingMemoryBound(
      to: sqlite3_file.self)
  }

  private func call(_ file: File?) -> (File, sqlite3_io_methods) {
    let inner = inner(file)
    return (inner, inner.pointee.pMethods.pointee)
  }

  private func record(_ file: File?, _ change: DiskRecord.Change) {
    let number = Int(handle(file).pointee.number) - 1
    if number >= 0 { FaultyDisk.record?.note(change, of: number) }
  }

  private func openFile(
    _ layer: UnsafeMutablePointer<sqlite3_vfs>?, _ name: sqlite3_filename?, _ file: File?,
    _ flags: Int32, _ opened: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    handle(file).initialize(to: Handle(methods: nil, number: 0, syncsFolder: false))
    if let failure = FaultyDisk.failure(.open) { return failure.code }
    let path = name.map { String(cString: $0) }
    let before = path.flatMap { path in FaultyDisk.record.map { ($0, $0.willOpen(path)) } }
    let code = below?.pointee.xOpen(below, name, inner(file), flags, opened) ?? SQLITE_ERROR
    guard code == SQLITE_OK else { return code }
    handle(file).pointee.methods = UnsafePointer(methods)
    if let (record, contents) = before, let path {
      handle(file).pointee.number = Int32(record.didOpen(path, contents) + 1)
      let journals = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL
      handle(file).pointee.syncsFolder = flags & SQLITE_OPEN_CREATE != 0 && flags & journals != 0
    }
    return SQLITE_OK
  }

  private func deleteFile(
    _ layer: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?, _ syncs: Int32
  ) -> Int32 {
    if let failure = FaultyDisk.failure(.delete) { return failure.code }
    let code = below?.pointee.xDelete(below, name, syncs) ?? SQLITE_ERROR
    if code == SQLITE_OK, let name {
      FaultyDisk.record?.didDelete(String(cString: name), syncs: syncs != 0)
    }
    return code
  }

  private func accessFile(
    _ layer: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?, _ flags: Int32,
    _ result: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    if let failure = FaultyDisk.failure(.access) { return failure.code }
    if FaultyDisk.seesPhantom(name) {
      result?.pointee = 1
      return SQLITE_OK
    }
    return below?.pointee.xAccess(below, name, flags, result) ?? SQLITE_ERROR
  }

  // SQLite reads the table from several threads. It never changes after initialization.
  nonisolated(unsafe) private let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
    let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    table.initialize(to: sqlite3_io_methods())
    table.pointee.iVersion = 2  // no mapped memory
    table.pointee.xClose = { file in
      let (inner, methods) = call(file)
      return methods.xClose(inner)
    }
    table.pointee.xRead = { file, bytes, count, offset in
      if let failure = FaultyDisk.failure(.read) { return failure.code }
      let (inner, methods) = call(file)
      return methods.xRead(inner, bytes, count, offset)
    }
    table.pointee.xWrite = { file, bytes, count, offset in
      let (inner, methods) = call(file)
      if let failure = FaultyDisk.failure(.write, .partialWrite, .full) {
        if failure == .partialWrite { _ = methods.xWrite(inner, bytes, count / 2, offset) }
        return failure.code
      }
      let code = methods.xWrite(inner, bytes, count, offset)
      if code == SQLITE_OK, handle(file).pointee.number > 0, let bytes {
        let copy = [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        record(file, .write(Int(offset), copy))
      }
      return code
    }
    table.pointee.xTruncate = { file, size in
      if let failure = FaultyDisk.failure(.truncate) { return failure.code }
      let (inner, methods) = call(file)
      let code = methods.xTruncate(inner, size)
      if code == SQLITE_OK { record(file, .truncate(Int(size))) }
      return code
    }
    table.pointee.xSync = { file, flags in
      if let failure = FaultyDisk.failure(.sync) { return failure.code }
      let (inner, methods) = call(file)
      let code = methods.xSync(inner, flags)
      if code == SQLITE_OK {
        record(file, .sync(folderToo: handle(file).pointee.syncsFolder))
        handle(file).pointee.syncsFolder = false
      }
      return code
    }
    table.pointee.xFileSize = { file, size in
      if let failure = FaultyDisk.failure(.size) { return failure.code }
      let (inner, methods) = call(file)
      return methods.xFileSize(inner, size)
    }
    table.pointee.xLock = { file, level in
      if let failure = FaultyDisk.failure(.lock) { return failure.code }
      let (inner, methods) = call(file)
      return methods.xLock(inner, level)
    }
    table.pointee.xUnlock = { file, level in
      let (inner, methods) = call(file)
      return methods.xUnlock(inner, level)
    }
    table.pointee.xCheckReservedLock = { file, result in
      if let failure = FaultyDisk.failure(.lock) { return failure.code }
      let (inner, methods) = call(file)
      return methods.xCheckReservedLock(inner, result)
    }
    table.pointee.xFileControl = { file, operation, argument in
      let (inner, methods) = call(file)
      return methods.xFileControl(inner, operation, argument)
    }
    table.pointee.xSectorSize = { file in
      let (inner, methods) = call(file)
      return methods.xSectorSize(inner)
    }
    table.pointee.xDeviceCharacteristics = { file in
      let (inner, methods) = call(file)
      return methods.xDeviceCharacteristics(inner)
    }
    table.pointee.xShmMap = { file, region, size, extends, memory in
      if let failure = FaultyDisk.failure(.sharedMemory) { return failure.code }
      let (inner, methods) = call(file)
      return methods.xShmMap(inner, region, size, extends, memory)
    }
    table.pointee.xShmLock = { file, offset, count, flags in
      let locks = flags & SQLITE_SHM_LOCK != 0
      if locks, let failure = FaultyDisk.failure(.sharedLock) { return failure.code }
      let (inner, methods) = call(file)
      return methods.xShmLock(inner, offset, count, flags)
    }
    table.pointee.xShmBarrier = { file in
      let (inner, methods) = call(file)
      methods.xShmBarrier(inner)
    }
    table.pointee.xShmUnmap = { file, deletes in
      let (inner, methods) = call(file)
      return methods.xShmUnmap(inner, deletes)
    }
    return table
  }()
#endif
