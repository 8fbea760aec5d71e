#if canImport(SwiftUI)
  public import SwiftUI

  /// The latest result of a query, in a view: the query runs again after each commit that could
  /// change its result.
  ///
  /// ```swift
  /// struct NoteList: View {
  ///   @Fetch(Note.all.order { $0.title }, animation: .default) var notes
  ///
  ///   var body: some View {
  ///     List(notes) { Text($0.title) }
  ///     if let error = $notes.error { Text(error.localizedDescription) }
  ///   }
  /// }
  /// ```
  /// The database comes from the environment: `.environment(\.database, database)`. The projected
  /// value, `$notes`, is an ``ObservedValues``: its `value` is `nil` before the first result, and
  /// its `error` is the error that ended the observation.
  ///
  /// A query can depend on the view's parameters: create the property in the view's initializer,
  /// `_notes = Fetch(Note.where { $0.title.contains(text) })`. When the SQL or a bound value has
  /// changed, the observation restarts, and the previous rows remain until the new query has run.
  ///
  /// The property wrapper has not been run on Apple's platforms yet.
  @MainActor @propertyWrapper
  public struct Fetch<Value: Sendable>: nonisolated DynamicProperty {
    @Environment(\.database) private var database
    @State private var observation = FetchObservation<Value>()
    private let initial: Value
    private let query: FetchedQuery<Value>
    private let animation: Animation?

    private init(_ initial: Value, _ query: FetchedQuery<Value>, _ animation: Animation?) {
      (self.initial, self.query, self.animation) = (initial, query, animation)
    }

    /// Observes the rows of a query.
    /// - Parameters:
    ///   - query: The query.
    ///   - animation: The animation of changes.
    public init<Row: Sendable>(_ query: some SelectStatement<Row>, animation: Animation? = nil)
    where Value == [Row] {
      self.init([], FetchedQuery(query), animation)
    }

    /// Observes a closure: `@Fetch({ db in try Note.all.count(in: db) }) var count = 0`.
    /// - Parameters:
    ///   - wrappedValue: The value before the first result.
    ///   - id: The values that the closure depends on. When they change, the observation restarts.
    ///   - animation: The animation of changes.
    ///   - read: The closure, as in ``Database/values(_:)``.
    public init(
      wrappedValue: Value, id: AnyHashable = AnyHashable(0), animation: Animation? = nil,
      _ read: @escaping @Sendable (isolated Connection) throws -> Value
    ) {
      self.init(wrappedValue, FetchedQuery(id: id, read: read), animation)
    }

    /// The latest result. Before the first result, an empty array or the property's initial value.
    public var wrappedValue: Value { projectedValue.value ?? initial }

    /// The observation, with its error.
    public var projectedValue: ObservedValues<Value> { observation.values }

    /// Starts or restarts the observation. SwiftUI calls this method before the view's `body`.
    nonisolated public func update() {
      MainActor.assumeIsolated {
        observation.update(query, in: database) { [animation] change in
          withAnimation(animation, change)
        }
      }
    }
  }

  extension EnvironmentValues {
    private struct DatabaseKey: EnvironmentKey {
      static var defaultValue: Database? { nil }
    }

    /// The database of the `Fetch` properties below a view.
    public var database: Database? {
      get { self[DatabaseKey.self] }
      set { self[DatabaseKey.self] = newValue }
    }
  }
#endif
