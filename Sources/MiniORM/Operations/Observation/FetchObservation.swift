#if canImport(Observation)
  /// The observation of a `Fetch`, without SwiftUI.
  @MainActor
  final class FetchObservation<Value: Sendable> {
    private(set) var values = ObservedValues<Value>(failure: .noDatabaseInEnvironment)
    private weak var database: Database?
    private var id: AnyHashable?

    /// Restarts the observation if the query or the database has changed. Until a changed query has
    /// run, the value of the previous query remains.
    func update(
      _ query: FetchedQuery<Value>, in database: Database?,
      perform: @escaping @MainActor (() -> Void) -> Void
    ) {
      guard let database else {
        if id != nil { values = ObservedValues(failure: .noDatabaseInEnvironment) }
        return id = nil
      }
      guard id != query.id || database !== self.database else { return }
      let previous = database === self.database && id != nil ? values.latest : nil
      values = ObservedValues(DatabaseValues(in: database, query.read), previous, perform)
      (id, self.database) = (query.id, database)
    }
  }

  /// A read, with an identity that changes with the values of the query.
  struct FetchedQuery<Value: Sendable> {
    let id: AnyHashable
    let read: @Sendable (isolated Connection) throws -> Value
  }

  extension FetchedQuery {
    init<Row>(_ query: some SelectStatement<Row>) where Value == [Row] {
      let select = query.asSelect
      let sql = select.sql
      let text = (try? sql.literalText()) ?? sql.text
      self.init(id: ExactText(text)) { db in try select.fetchAll(in: db) }
    }
  }

  extension DatabaseError {
    fileprivate static var noDatabaseInEnvironment: DatabaseError {
      DatabaseError(
        .read, code: .misuse,
        "The view's environment has no database: add .environment(\\.database, database) to the view or a view above it"
      )
    }
  }
#endif
