import Foundation
import MiniORM

/// A model with columns of each kind, for tests of queries.
@Table("person")
struct Person: Identifiable, Equatable {
  let id: Int64
  var name: String
  var age = 0
  var score: Double?
  var nickname: String?
  var isActive = true
  var level: Int?
}

extension Person {
  static let some = [
    Person(id: 1, name: "Ada", age: 36, score: 9.5, nickname: "Countess", isActive: true, level: 3),
    Person(id: 2, name: "Bob", age: 20, score: nil, nickname: nil, isActive: false, level: 1),
    Person(id: 3, name: "Cid", age: 20, score: 1.5, nickname: "C", isActive: true, level: nil),
    Person(id: 4, name: "Dee", age: 65, score: -2, nickname: "", isActive: false, level: 3),
    Person(id: 5, name: "Eve", age: 41, score: 9.5, nickname: nil, isActive: true, level: 2),
  ]
}

/// Runs a test on a file with some people.
func withPeople<Result>(
  _ people: [Person] = Person.some, _ body: (Database, Table<Person>) async throws -> Result
) async throws -> Result {
  try await withFile(DatabaseSchema(Person.self)) { database throws in
    try await Table<Person>().insert(contentsOf: people, in: database)
    return try await body(database, Table<Person>())
  }
}
