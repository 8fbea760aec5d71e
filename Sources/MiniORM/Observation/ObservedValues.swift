#if canImport(SwiftUI)
  import SwiftUI

  /// The values of a query for SwiftUI: a view that reads ``value`` is drawn again when it changes.
  ///
  /// ```swift
  /// @State private var list = ObservedValues(companies.values(in: database))
  /// var body: some View { List(list.value ?? []) { Text($0.name) } }
  /// ```
  /// Observing begins at once and ends with this object. Not yet run on Apple's platforms.
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
