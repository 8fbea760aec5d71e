#if canImport(Observation)
  import Observation
  import Synchronization
  import Testing

  @testable import MiniORM

  @Suite("ObservedValues") @MainActor
  struct ObservedValuesTests {
    @Test("an object follows a query, announces changes, and ends with its last reference")
    func following() async throws {
      try await withPeople { database, people in
        var list: ObservedValues? = ObservedValues(
          people.where { $0.age > 60 }.order { $0.id }.values(in: database))
        #expect(list?.value == nil)
        while list?.value == nil { await Task.yield() }
        #expect(list?.value?.map(\.name) == ["Dee"])
        let isTold = Mutex(false)
        withObservationTracking {
          _ = list?.value
        } onChange: {
          isTold.withLock { $0 = true }
        }
        try await people.where { $0.name == "Eve" }.update { $0.age = 61 }.run(in: database)
        while list?.value?.count == 1 { await Task.yield() }
        #expect(list?.value?.map(\.name) == ["Dee", "Eve"])
        #expect(isTold.withLock { $0 })
        list = nil
        while database.observationHub.isObserved { await Task.yield() }
      }
    }

    @Test("an object that no view reads runs no query")
    func unread() async throws {
      try await withPeople { database, people in
        let list = ObservedValues(people.values(in: database))
        for _ in 0..<100 { await Task.yield() }
        #expect(!database.observationHub.isObserved)
        while list.value == nil { await Task.yield() }
        #expect(database.observationHub.isObserved)
      }
    }

    @Test("an error ends the object, which keeps the error and the last value")
    func failing() async throws {
      try await withPeople { database, people in
        let list = ObservedValues(people.select { $0.id.count() }.values(in: database))
        while list.value == nil { await Task.yield() }
        try await database.write { try $0.execute("DROP TABLE person") }
        while list.error == nil { await Task.yield() }
        #expect((list.error as? DatabaseError)?.message == "no such table: person")
        #expect(list.value == [5])
      }
    }
  }
#endif
