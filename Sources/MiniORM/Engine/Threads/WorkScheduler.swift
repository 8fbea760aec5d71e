/// Tests replace the system's scheduling to provoke rare orders.
protocol WorkScheduler: AnyObject, Sendable {
  func run(_ work: @escaping @Sendable () -> Void)

  /// Allows other work to run first. The caller holds no lock.
  func step()

  /// The scheduler can add steps in the connection's SQLite callbacks.
  func opened(_ database: OpaquePointer)
}
