import CSQLCipher

/// A pointer per thread, valid while a synchronous closure runs. Much cheaper than a task-local
/// value.
enum ThreadSlot {
  // Never inlined: the memory belongs to the single object file that contains this code.

  static var pointer: UnsafeMutableRawPointer? {
    @inline(never) get { miniorm_thread_slot()?.pointee }
    @inline(never) set { miniorm_thread_slot()?.pointee = newValue }
  }
}
