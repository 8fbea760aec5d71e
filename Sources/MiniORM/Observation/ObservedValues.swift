#if canImport(Observation)
  public import Observation

  /// The values of a query for SwiftUI: a view that reads ``value`` is drawn again when it changes.
  ///
  /// ```swift
  /// let list = ObservedValues(companies.values(in: database))  // in a view's @State
  /// List(list.value ?? []) { company in Text(company.name) }
  /// ```
  /// The observation begins immediately and ends with this object. It does not depend on SwiftUI; it has not
  /// been run in a view yet.
  @MainActor @Observable
  public final class ObservedValues<Value: Sendable> {
    /// The latest value; `nil` until the first has been read.
    public private(set) var value: Value?
    /// The error that ended the observation, if reading failed.
    public private(set) var error: (any Error)?
    @ObservationIgnored private var task: Task<Void, Never>?

    /// Begins to observe values.
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
