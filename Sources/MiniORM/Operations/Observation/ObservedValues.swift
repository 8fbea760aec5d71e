#if canImport(Observation)
  public import Observation

  /// The values of a query for SwiftUI: a view that reads ``value`` is updated after a change.
  ///
  /// ```swift
  /// let list = ObservedValues(companies.values(in: database))  // in a view's @State
  /// List(list.value ?? []) { company in Text(company.name) }
  /// ```
  /// The observation begins when ``value`` or ``error`` is first read, and ends with this object.
  /// An object that is never read runs no query, such as the initial values of a `State` that
  /// SwiftUI creates at each update of the parent view and drops.
  ///
  /// The class does not depend on SwiftUI, and has not been tested in a view yet.
  @MainActor @Observable
  public final class ObservedValues<Value: Sendable> {
    private(set) var latest: Value?
    private var failure: (any Error)?
    @ObservationIgnored private var values: DatabaseValues<Value>?
    @ObservationIgnored private var task: Task<Void, Never>?
    @ObservationIgnored private var perform: @MainActor (() -> Void) -> Void = { $0() }

    /// Prepares an observation. The query does not run yet.
    public init(_ values: DatabaseValues<Value>) { self.values = values }

    /// - Parameters:
    ///   - latest: The value before the query has run.
    ///   - perform: Runs each change of the value, such as in an animation.
    init(
      _ values: DatabaseValues<Value>, _ latest: Value?,
      _ perform: @escaping @MainActor (() -> Void) -> Void
    ) {
      (self.values, self.perform) = (values, perform)
      self.latest = latest
    }

    init(failure: DatabaseError) { self.failure = failure }

    /// The latest value, or `nil` before the query has run.
    public var value: Value? {
      start()
      return latest
    }

    /// The error that ended the observation; `nil` without an error.
    public var error: (any Error)? {
      start()
      return failure
    }

    private func start() {
      guard let values else { return }
      self.values = nil
      task = Task { [weak self] in
        do {
          for try await value in values {
            if let self { self.perform { self.latest = value } }
          }
        } catch {
          self?.failure = error
        }
      }
    }

    deinit { task?.cancel() }
  }
#endif
