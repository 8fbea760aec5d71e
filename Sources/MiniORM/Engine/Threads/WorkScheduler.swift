/// Decides the order of work. Tests replace the system's scheduling to provoke rare orders.
protocol WorkScheduler: AnyObject, Sendable {
  func run(_ work: @escaping @Sendable () -> Void)

  /// Allows other work to run first. The caller holds no lock.
  func step()

  /// Called for a new connection, in whose SQLite callbacks the scheduler can add further steps.
  func opened(_ database: OpaquePointer)
}
