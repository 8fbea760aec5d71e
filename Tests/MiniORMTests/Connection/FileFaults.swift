#if os(Linux)
  import CSQLCipher
  import Foundation
  import Synchronization

  /// Fails SQLite's system calls, in a separate process.
  ///
  /// The unix VFS has a table of its system calls for such tests. See
  /// [sqlite3_vfs.xSetSystemCall](https://www.sqlite.org/c3ref/vfs.html).
  enum FileFaults {
    /// The number of calls left before the failure.
    private static let left = Atomic(Int.max)
    private static let lasts = Atomic(false)
    private static let isForOpening = Atomic(false)
    private static let kills = Atomic(false)
    private static let struck = Atomic(0)

    /// Arms a failure.
    /// - Parameters:
    ///   - number: The failing call, from 1.
    ///   - lasting: True if all later calls fail too.
    ///   - opening: True if only calls that open a file count and fail.
    ///   - kills: True to kill the process at the call instead.
    static func arm(_ number: Int, lasting: Bool, opening: Bool = false, kills: Bool = false) {
      Self.kills.store(kills, ordering: .sequentiallyConsistent)
      isForOpening.store(opening, ordering: .sequentiallyConsistent)
      struck.store(0, ordering: .sequentiallyConsistent)
      lasts.store(lasting, ordering: .sequentiallyConsistent)
      left.store(number, ordering: .sequentiallyConsistent)
    }

    /// Disarms the failure.
    /// - Returns: The number of failed calls.
    @discardableResult
    static func disarm() -> Int {
      left.store(.max, ordering: .sequentiallyConsistent)
      return struck.load(ordering: .sequentiallyConsistent)
    }

    fileprivate static func strikes(_ code: Int32 = EIO) -> Bool {
      guard code == EMFILE || !isForOpening.load(ordering: .sequentiallyConsistent) else {
        return false
      }
      let number = left.subtract(1, ordering: .sequentiallyConsistent).oldValue
      guard number == 1 || (number < 1 && lasts.load(ordering: .sequentiallyConsistent)) else {
        return false
      }
      struck.add(1, ordering: .sequentiallyConsistent)
      if kills.load(ordering: .sequentiallyConsistent) { kill(getpid(), SIGKILL) }
      errno = code
      return true
    }

    /// The number of calls, if armed with `Int.max`.
    static var count: Int { .max - left.load(ordering: .sequentiallyConsistent) }

    /// Replaces the system calls of the unix VFS.
    static func install() {
      let read: @convention(c) (Int32, UnsafeMutableRawPointer?, Int) -> Int = failingRead
      set("read", unsafeBitCast(read, to: sqlite3_syscall_ptr.self))
      let readAt: @convention(c) (Int32, UnsafeMutableRawPointer?, Int, off_t) -> Int =
        failingReadAt
      // Debian's SQLite calls these.
      for name in ["pread", "pread64"] {
        set(name, unsafeBitCast(readAt, to: sqlite3_syscall_ptr.self))
      }
      let write: @convention(c) (Int32, UnsafeRawPointer?, Int) -> Int = failingWrite
      set("write", unsafeBitCast(write, to: sqlite3_syscall_ptr.self))
      let writeAt: @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int = failingWriteAt
      for name in ["pwrite", "pwrite64"] {
        set(name, unsafeBitCast(writeAt, to: sqlite3_syscall_ptr.self))
      }
      let truncate: @convention(c) (Int32, off_t) -> Int32 = failingTruncate
      set("ftruncate", unsafeBitCast(truncate, to: sqlite3_syscall_ptr.self))
      let unlink: @convention(c) (UnsafePointer<CChar>) -> Int32 = failingUnlink
      set("unlink", unsafeBitCast(unlink, to: sqlite3_syscall_ptr.self))
      let open: @convention(c) (UnsafePointer<CChar>, Int32, Int32) -> Int32 = failingOpen
      set("open", unsafeBitCast(open, to: sqlite3_syscall_ptr.self))
    }

    /// SQLite stores all functions as pointers of a single type.
    private static func set(_ name: String, _ call: sqlite3_syscall_ptr) {
      let vfs = sqlite3_vfs_find(nil)
      _ = vfs?.pointee.xSetSystemCall(vfs, name, call)
    }
  }

  private func failingRead(_ file: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    FileFaults.strikes() ? -1 : read(file, bytes, count)
  }

  private func failingReadAt(
    _ file: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int, _ offset: off_t
  ) -> Int {
    FileFaults.strikes() ? -1 : pread(file, bytes, count, offset)
  }

  private func failingWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    FileFaults.strikes() ? -1 : write(file, bytes, count)
  }

  private func failingWriteAt(
    _ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ offset: off_t
  ) -> Int {
    FileFaults.strikes() ? -1 : pwrite(file, bytes, count, offset)
  }

  private func failingTruncate(_ file: Int32, _ count: off_t) -> Int32 {
    FileFaults.strikes() ? -1 : ftruncate(file, count)
  }

  private func failingUnlink(_ path: UnsafePointer<CChar>) -> Int32 {
    FileFaults.strikes() ? -1 : unlink(path)
  }

  private func failingOpen(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: Int32) -> Int32 {
    FileFaults.strikes(EMFILE) ? -1 : open(path, flags, mode_t(mode))
  }
#endif
