import Foundation
import Testing

@testable import MiniORM

/// JSON with ISO 8601 dates and keys in snake case, as on the page about JSON.
private struct OwnJSON<Content: Codable & Sendable>: RawRepresentable, ColumnValue {
  var content: Content

  init(_ content: Content) { self.content = content }

  init?(rawValue: String) {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    guard let content = try? decoder.decode(Content.self, from: Data(rawValue.utf8)) else {
      return nil
    }
    self.content = content
  }

  var rawValue: String {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = .sortedKeys
    return (try? encoder.encode(content)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}

private struct Delivery: Codable, Sendable, Equatable {
  var sentAt: Date
}

@Table("carton") private struct Carton: Identifiable {
  let id: Int64
  var delivery: OwnJSON<Delivery>
  var former: OwnJSON<Delivery>? = OwnJSON(Delivery(sentAt: Date(timeIntervalSince1970: 0)))
}

@Suite("JSON with an encoder of the application")
struct OwnJSONTests {
  @Test("is stored, compared and recorded by its own type")
  func roundTrip() async throws {
    try await withFile(DatabaseSchema(Carton.self)) { database throws in
      let cartons = Table<Carton>()
      let delivery = Delivery(sentAt: Date(timeIntervalSince1970: 1_700_000_000))
      let carton = try await cartons.insert(
        Carton.Draft(delivery: OwnJSON(delivery)), in: database)
      #expect(carton.delivery.content == delivery)
      #expect(
        try await database.values("SELECT delivery FROM carton")
          == [.text(#"{"sent_at":"2023-11-14T22:13:20Z"}"#)])
      let found = try await cartons.where { $0.delivery == OwnJSON(delivery) }.count(in: database)
      #expect(found == 1)
      let formats = try await database.values(
        "SELECT format FROM miniorm_columns WHERE tbl = 'carton' AND col = 'delivery'")
      #expect(formats == [.text("text OwnJSON<Delivery>")])
      try await database.write { try $0.execute("UPDATE carton SET delivery = '{}'") }
      let error = try await failure { try await cartons.fetchAll(in: database) }
      #expect(error.column == "delivery")
    }
  }
}
