import Testing

@testable import MiniORM

@Suite("End of observations")
struct ObservationEndTests {
  /// Iterates in a separate task that streams each value and returns the number of values.
  private func observe(_ database: Database) -> (AsyncStream<Int>, Task<Int, any Error>) {
    let (stream, seen) = AsyncStream.makeStream(of: Int.self)
    let task = Task {
      defer { seen.finish() }
      var count = 0
      for try await values in database.integers("SELECT count(*) FROM other") {
        count += 1
        seen.yield(values[0])
      }
      return count
    }
    return (stream, task)
  }

  @Test("cancelling the task ends the waiting observation without an error")
  func cancellation() async throws {
    try await ObservedTables.withDatabase { database in
      let (stream, task) = observe(database)
      var seen = stream.makeAsyncIterator()
      #expect(await seen.next() == 0)
      task.cancel()
      let ended = try await task.value
      #expect(ended == 1)
      #expect(!database.observationHub.isObserved)
    }
  }

  @Test("a cancelled task gets no value")
  func cancelledBefore() async throws {
    try await ObservedTables.withDatabase { database in
      let values = database.integers("SELECT 1")
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        var iterator = values.makeAsyncIterator()
        return try await iterator.next()
      }
      let ended = try await task.value
      #expect(ended == nil)
      #expect(!database.observationHub.isObserved)
    }
  }

  @Test("closing the database ends the observation, and a new observation throws")
  func close() async throws {
    try await withTemporaryPath { path in
      let database = try await Database(path: path, key: .raw(testKeyBytes))
      try await database.write { try $0.execute("CREATE TABLE other(value)") }
      let (stream, task) = observe(database)
      var seen = stream.makeAsyncIterator()
      #expect(await seen.next() == 0)
      var idle = database.integers("SELECT 1").makeAsyncIterator()
      #expect(try await idle.next() == [1])
      try await database.close()
      let ended = try await task.value
      #expect(ended == 1)
      #expect(try await idle.next() == nil)
      let error = try await failure {
        for try await _ in database.integers("SELECT 1") {}
      }
      #expect(error.message == "The database is closed: open a new Database")
    }
  }

  @Test("after a failed close, the database can be observed again")
  func failedClose() async throws {
    try await ObservedTables.withDatabase { database in
      var before = database.integers("SELECT count(*) FROM other").makeAsyncIterator()
      #expect(try await before.next() == [0])
      database.observationHub.setClosed(true)
      #expect(try await before.next() == nil)
      database.observationHub.setClosed(false)
      var after = database.integers("SELECT count(*) FROM other").makeAsyncIterator()
      #expect(try await after.next() == [0])
      try await database.write { try $0.execute("INSERT INTO other VALUES (1)") }
      #expect(try await after.next() == [1])
    }
  }

  @Test("an error of the query ends the observation")
  func failing() async throws {
    try await ObservedTables.withDatabase { database in
      var values = database.integers("SELECT count(*) FROM other").makeAsyncIterator()
      #expect(try await values.next() == [0])
      try await database.write { try $0.execute("DROP TABLE other") }
      let error = try await failure { try await values.next() }
      #expect(error.message == "no such table: other")
      #expect(try await values.next() == nil)
      #expect(!database.observationHub.isObserved)
    }
  }

  @Test("leaving the loop releases everything")
  func leaving() async throws {
    try await ObservedTables.withDatabase { database in
      for try await values in database.integers("SELECT size FROM parent") {
        #expect(database.observationHub.columnCount > 0)
        if values.count == 3 { break }
      }
      #expect(!database.observationHub.isObserved)
      #expect(database.observationHub.columnCount == 0)
    }
  }

  @Test("tasks cancelled at any moment during commits release everything")
  func cancellations() async throws {
    try await ObservedTables.withDatabase { database in
      var random = SeededRandom(7)
      for round in 0..<10 {
        let tasks = (0..<20).map { number in
          Task {
            if number % 4 == 0 {
              for await _ in database.changes() {}
            } else if number % 4 == 1 {
              for try await _ in Table<ParentRow>().where({ $0.id == 1 }).values(in: database) {}
            } else {
              for try await _ in database.integers("SELECT count(*) FROM other") {}
            }
          }
        }
        for task in tasks.shuffled(using: &random) {
          if Bool.random(using: &random) {
            try await database.write { db in
              try db.execute("INSERT INTO other VALUES (\(round))")
              try db.execute("UPDATE parent SET size = \(round) WHERE id = 1")
            }
          }
          for _ in 0..<Int.random(in: 0..<20, using: &random) { await Task.yield() }
          task.cancel()
        }
        for task in tasks { try await task.value }
        #expect(!database.observationHub.isObserved)
        #expect(!database.observationHub.isObservedByRow)
        #expect(!database.observationHub.subscribers.isWanted)
        #expect(database.observationHub.columnCount == 0)
      }
    }
  }

  @Test("an observed database is released with its last reference")
  func leak() async throws {
    try await withTemporaryPath { path in
      weak var weakly: Database?
      do {
        var configuration = Configuration()
        configuration.otherChangesInterval = .milliseconds(1)
        let database = try await Database(
          path: path, key: .raw(testKeyBytes), configuration: configuration)
        weakly = database
        try await database.write { try $0.execute("CREATE TABLE other(value)") }
        let (stream, task) = observe(database)
        for await _ in stream.prefix(1) {}
        var iterator = database.integers("SELECT 1").makeAsyncIterator()
        _ = try await iterator.next()
        task.cancel()
        _ = try await task.value
      }
      // The task that polls for other processes' changes may be in the middle of a poll.
      while weakly != nil { await Task.yield() }
    }
  }

  @Test("commits of other databases on the file are noticed on request")
  func others() async throws {
    var configuration = Configuration()
    configuration.otherChangesInterval = .milliseconds(5)
    try await ObservedTables.withDatabase(configuration: configuration) { database in
      var values = database.integers("SELECT count(*) FROM other").makeAsyncIterator()
      #expect(try await values.next() == [0])
      let other = try await Database(path: database.path, key: .raw(testKeyBytes))
      for count in 1...3 {
        try await other.write { try $0.execute("INSERT INTO other VALUES (1)") }
        #expect(try await values.next() == [count])
      }
      try await other.close()
    }
  }

  @Test("the cost of a commit depends on the observers that it wakes, not on all observers")
  func crowd() async throws {
    try await ObservedTables.withDatabase { database in
      var crowd: [ObservedQuery] = []
      for number in 0..<1_000 {
        crowd.append(
          try await ObservedQuery(
            ["SELECT text FROM child", "SELECT note FROM parent", "SELECT * FROM keyed"][
              number % 3],
            in: database))
      }
      let one = try await ObservedQuery("SELECT size FROM parent", in: database)
      let before = database.observationHub.visits
      try await database.write { try $0.execute("UPDATE parent SET size = 5 WHERE id = 1") }
      #expect(one.isChanged)
      #expect(!crowd.contains { $0.isChanged })
      #expect(database.observationHub.visits - before == 1)
    }
  }
}
