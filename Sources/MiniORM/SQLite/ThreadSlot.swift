import CSQLCipher

/// A pointer for each thread: what is true while a closure runs, which is called and returns on one thread,
/// costs a tenth here of what a task-local value does.
enum ThreadSlot {
  // Never inlined: the memory is that of the one object file in which this is compiled.

  static var pointer: UnsafeMutableRawPointer? {
    @inline(never) get { miniorm_thread_slot()?.pointee }
    @inline(never) set { miniorm_thread_slot()?.pointee = newValue }
  }
}
