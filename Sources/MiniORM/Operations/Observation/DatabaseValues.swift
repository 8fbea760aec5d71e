/// The values of an observed query: the first value, and a new value after each relevant commit.
///
/// ```swift
/// for try await list in companies.where { $0.size > 10 }.values(in: database) { show(list) }
/// ```
/// The first value is available immediately. A new value follows each commit that inserts into or
/// deletes from a table of the query, or updates a column that the query reads, also by triggers,
/// foreign key actions and REPLACE. If a query selects rows only by an integer key, only changes of
/// these rows count. The tables and columns of views, joins and subqueries belong to the query.
///
/// Each value is read on demand, from a single state of the database. A slow loop skips values, and
/// receives the latest. A new value may equal the previous value: see ``removingDuplicates()``.
///
/// When the iterating task is cancelled or the database is closed, the sequence ends without an
/// error. An error of a query is thrown, and ends the sequence. If the time limit of
/// ``withTimeLimit(_:_:)`` is over, the code of the thrown ``DatabaseError`` is
/// ``ResultCode/interrupt``. The iteration keeps the database open.
///
/// The observation begins with the iterator's first value. A copy of an iterator starts an
/// independent iteration.
public struct DatabaseValues<Element: Sendable>: AsyncSequence, Sendable {
  fileprivate let database: Database
  fileprivate let read: @Sendable (isolated Connection) throws -> Element
  fileprivate var isSame: (@Sendable (Element, Element) -> Bool)?

  init(
    in database: Database, _ read: @escaping @Sendable (isolated Connection) throws -> Element
  ) {
    self.database = database
    self.read = read
  }

  /// Creates an iterator. The observation begins with the first call of `next()`.
  @_documentation(visibility: internal)
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  /// Returns the sequence, without values that equal the previous value.
  /// - Parameter isSame: Returns true if two values are equal.
  public func removingDuplicates(
    by isSame: @escaping @Sendable (Element, Element) -> Bool
  ) -> DatabaseValues {
    var copy = self
    copy.isSame = isSame
    return copy
  }

  /// An iterator over the values. A copy of an iterator starts an independent iteration.
  @_documentation(visibility: internal)
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let values: DatabaseValues
    private var observer: DatabaseObserver?
    private var last: Element?
    private var isOver = false

    fileprivate init(_ values: DatabaseValues) { self.values = values }

    /// Returns the first value, and later the next value after a relevant commit.
    /// - Returns: The value, or `nil` if the task is cancelled or the database is closed.
    /// - Throws: The error of the read, or ``DatabaseError`` with the code ``ResultCode/interrupt``
    ///   if the time limit of ``withTimeLimit(_:_:)`` is over.
    public mutating func next() async throws -> Element? {
      try await next(isolation: #isolation)
    }

    /// Returns the first value, and later the next value after a relevant commit.
    /// - Parameter actor: The caller's isolation.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws -> Element? {
      // Each copy of an iterator has an observer of its own.
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
          observer = try await DatabaseObserver(of: values.database)
        }
        guard let observer else { break }
        let value: Element
        do {
          value = try await observer.value(values.read)
        } catch {
          end()
          // Cancelling and closing interrupt a read.
          if Task.isCancelled || values.database.observationHub.isClosed { return nil }
          throw error
        }
        guard let isSame = values.isSame else { return value }
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
  /// Returns the sequence, without values that equal the previous value.
  ///
  /// ```swift
  /// for try await count in database.values({ db in try companies.count(in: db) }).removingDuplicates() {
  ///   print(count)
  /// }
  /// ```
  public func removingDuplicates() -> DatabaseValues { removingDuplicates(by: ==) }
}
