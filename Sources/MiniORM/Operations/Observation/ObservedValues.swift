#if canImport(Observation)
  public import Observation

  /// The values of a query for SwiftUI: a view that reads ``value`` is updated after a change.
  ///
  /// ```swift
  /// let list = ObservedValues(companies.values(in: database))  // in a view's @State
  /// List(list.value ?? []) { company in Text(company.name) }
  /// ```
  /// The observation begins immediately and ends with this object. The class does not depend on
  /// SwiftUI, and has not been tested in a view yet.
  @MainActor @Observable
  public final class ObservedValues<Value: Sendable> {
    /// The latest value; `nil` before the first read.
    public private(set) var value: Value?
    /// The error that ended the observation, if a read failed.
    public private(set) var error: (any Error)?
    @ObservationIgnored private var task: Task<Void, Never>?

    /// Starts observing values.
    /// - Parameter values: The values.
    public init(_ values: DatabaseValues<Value>) {
      task = Task { [weak self] in
        do {
          for try await value in values { self?.value = value }
        } catch {
          self?.error = error
        }
      }
    }

    deinit { task?.cancel() }
  }
#endif
