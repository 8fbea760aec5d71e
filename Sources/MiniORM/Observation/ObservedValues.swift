#if canImport(Observation)
  public import Observation

  /// The values of a query for SwiftUI: a view that reads ``value`` is drawn again when it changes.
  ///
  /// ```swift
  /// let list = ObservedValues(companies.values(in: database))  // in a view's @State
  /// List(list.value ?? []) { company in Text(company.name) }
  /// ```
  /// Observing begins at once and ends with this object. Nothing of it is SwiftUI's; it has not yet been run
  /// in a view.
  @MainActor @Observable
  public final class ObservedValues<Value: Sendable> {
    /// The latest value; `nil` until the first has been read.
    public private(set) var value: Value?
    /// What ended it, where reading failed.
    public private(set) var error: (any Error)?
    @ObservationIgnored private var task: Task<Void, Never>?

    /// Begins to observe.
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
