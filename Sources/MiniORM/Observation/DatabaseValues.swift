/// The value of a query, and a new value each time that something it reads has changed.
///
/// ```swift
/// for try await list in companies.where { $0.size > 10 }.values(in: database) { show(list) }
/// ```
/// The first value comes immediately. Another one follows each commit that could change it: one that inserted
/// into a table that the query reads, deleted from it, or updated a column that it reads. The change can be
/// made by another task, a trigger, a foreign key's cascade or REPLACE. A transaction that is rolled back
/// causes no value. For a query that selects rows only by their integer key, only changes of those rows count.
/// SQLite reports what a query reads, including views, joins and subqueries, and what a statement changes, so
/// you need not list tables.
///
/// Each value is read when the loop asks for it, from one state of the database. A loop that is slower than the
/// changes gets the latest value and skips those before it; values do not accumulate. A new value may equal the
/// one before it: see ``removingDuplicates()``.
///
/// The sequence ends, without an error, when the task that iterates is cancelled and when the database is
/// closed. An error of a query is thrown, and ends it. It keeps the database open while it is iterated, and
/// each iteration is an observation of its own.
public struct DatabaseValues<Element: Sendable>: AsyncSequence, Sendable {
  private let database: Database
  private let read: @Sendable (isolated Connection) throws -> Element
  private var isSame: (@Sendable (Element, Element) -> Bool)?

  init(
    in database: Database, _ read: @escaping @Sendable (isolated Connection) throws -> Element
  ) {
    self.database = database
    self.read = read
  }

  /// Begins to observe with the first value that is asked for.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(database: database, read: read, isSame: isSame)
  }

  /// Returns the same sequence without values that repeat the one before.
  /// - Parameter isSame: Whether two values are the same.
  public func removingDuplicates(
    by isSame: @escaping @Sendable (Element, Element) -> Bool
  ) -> DatabaseValues {
    var copy = self
    copy.isSame = isSame
    return copy
  }

  /// Returns the values of one iteration. A copy begins an iteration of its own.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let database: Database
    private let read: @Sendable (isolated Connection) throws -> Element
    private let isSame: (@Sendable (Element, Element) -> Bool)?
    private var observer: DatabaseObserver?
    /// The value before, where it is compared.
    private var last: Element?
    private var isOver = false

    init(
      database: Database, read: @escaping @Sendable (isolated Connection) throws -> Element,
      isSame: (@Sendable (Element, Element) -> Bool)?
    ) {
      self.database = database
      self.read = read
      self.isSame = isSame
    }

    /// Returns the value at first, and from then on the next one that a commit has brought.
    /// - Returns: The value; `nil` when the task is cancelled or the database is closed.
    /// - Throws: What reading throws; ``DatabaseError`` with the code ``ResultCode/interrupt`` when the
    ///   time limit of ``withTimeLimit(_:_:)`` is over.
    public mutating func next() async throws -> Element? {
      try await next(isolation: #isolation)
    }

    /// Returns the value at first, and from then on the next one that a commit has brought.
    /// - Parameter actor: Where the caller runs.
    /// - Returns: The value; `nil` when the task is cancelled or the database is closed.
    /// - Throws: What reading throws; ``DatabaseError`` with the code ``ResultCode/interrupt`` when the
    ///   time limit of ``withTimeLimit(_:_:)`` is over.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws -> Element? {
      // A copy of the iterator observes for itself: each waits, and reads, at its own time.
      if !isKnownUniquelyReferenced(&observer) { observer = nil }
      while !isOver, !Task.isCancelled {
        if let observer {
          do {
            guard try await observer.change(), !Task.isCancelled else { break }
          } catch {
            end()
            throw error
          }
        } else {
          observer = try await DatabaseObserver(of: database)
        }
        guard let observer else { break }
        let value: Element
        do {
          value = try await observer.value(read)
        } catch {
          end()
          // That is how a read ends that was under way.
          if Task.isCancelled || database.observationHub.isClosed { return nil }
          throw error
        }
        guard let isSame else { return value }
        defer { last = value }
        if last.map({ !isSame($0, value) }) ?? true { return value }
      }
      end()
      return nil
    }

    private mutating func end() {
      isOver = true
      observer = nil
      last = nil
    }
  }
}

extension DatabaseValues where Element: Equatable {
  /// Returns the same sequence without values that equal the one before.
  ///
  /// ```swift
  /// for try await count in database.values({ db in try companies.count(in: db) }).removingDuplicates() {
  ///   print(count)
  /// }
  /// ```
  public func removingDuplicates() -> DatabaseValues { removingDuplicates(by: ==) }
}
