#if THREAD_SANITIZER
  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// Replaces `Mutex` under ThreadSanitizer (`make test-thread`). On Linux, Swift's mutex is a
  /// custom futex unknown to the sanitizer.
  struct Mutex<Value>: ~Copyable, @unchecked Sendable {
    private final class Box {
      let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
      var value: Value

      init(_ value: Value) {
        self.value = value
        pthread_mutex_init(lock, nil)
      }

      deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
      }
    }

    private let box: Box

    init(_ value: consuming sending Value) { box = Box(value) }

    borrowing func withLock<Result, Failure>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(box.lock)
      defer { pthread_mutex_unlock(box.lock) }
      nonisolated(unsafe) var value = box.value
      defer { box.value = value }
      return try body(&value)
    }
  }
#endif
