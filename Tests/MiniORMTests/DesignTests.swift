import Foundation
import Testing

@testable import MiniORM

@Suite("The design example")
struct DesignTests {
  @Test("the example of the design runs, from the first opening to a changed key")
  func design() async throws {
    let file = TemporaryFile()
    let path = file.path
    let database = try await Database(path: path, key: .passphrase("it's a secret"))
    try await database.migrate(DatabaseSchema(City.self, Company.self))
    let companies = Table<Company>()

    // Writes.
    let acme = try await companies.insert(Company.Draft(name: "Acme"), in: database)
    #expect(acme == Company(id: 1, name: "Acme"))
    let drafts = (1...100).map {
      Company.Draft(name: "A\($0)", employeeCount: $0 * 10, founded: Date(), tags: ["x"])
    }
    #expect(try await companies.insert(contentsOf: drafts, in: database) == 100)

    var changed = acme
    changed.employeeCount = 5
    #expect(try await companies.update(changed, in: database))

    let outcome = try await companies.upsert(
      Company.Draft(name: "ACME", employeeCount: 7), onConflict: { $0.name }, in: database)
    guard case .updated(let row) = outcome else { throw outcome.unexpected }
    #expect(row.employeeCount == 7)

    // Queries.
    let big =
      try await companies
      .where { $0.employeeCount >= 100 && $0.name.like("A%") && $0.founded != nil }
      .order { ($0.employeeCount.descending, $0.name) }
      .limit(20, offset: 40)
      .fetchAll(in: database)
    #expect(big.count == 20)
    #expect(big.first?.employeeCount == 600)
    let one = try await companies.find(acme.id, in: database)
    #expect(one?.name == "Acme")
    let raised = try await companies.where { $0.cityID == nil }.update { $0.employeeCount += 1 }
      .run(in: database)
    #expect(raised == 101)

    // A transaction.
    let city = try await database.write { db in
      let city = try Table<City>().insert(City.Draft(name: "Reims"), in: db)
      try companies.insert(Company.Draft(name: "Vins", cityID: city.id), in: db)
      return city
    }
    #expect(city == City(id: 1, name: "Reims"))

    // Raw SQL.
    let id = acme.id
    let rows = try await database.read { db in
      try db.query("SELECT name FROM company_master WHERE id = \(id)")
    }
    #expect(rows.map(\.values) == [[.text("Acme")]])

    #expect(try await companies.where { $0.name.isIn(["acme", "vins"]) }.count(in: database) == 2)
    #expect(try await companies.max(of: { $0.employeeCount }, in: database) == 1001)
    #expect(try await companies.max(of: { $0.cityID }, in: database) == 1)
    #expect(try await companies.delete(acme.id, in: database))
    try await database.close()

    // Keys.
    await #expect(throws: DatabaseError.self) {
      try await Database(path: path, key: .passphrase("wrong"))
    }
    let again = try await Database(path: path, key: .passphrase("it's a secret"))
    #expect(try await Table<Company>().count(in: again) == 101)
    try await again.changeKey(to: .raw([UInt8](repeating: 7, count: 32)))
    #expect(try await Table<Company>().count(in: again) == 101)
    try await again.close()
    let third = try await Database(path: path, key: .raw([UInt8](repeating: 7, count: 32)))
    #expect(try await Table<Company>().count(in: third) == 101)
    try await third.close()
  }
}
