import Foundation
import Testing

@testable import MiniORM

@Table private struct Bill {
  @Column(as: .uuidBytes) let id: UUID
  @Column(as: .decimal(scale: 2)) var total: Decimal
  var plain: Decimal
}

@Selection private struct Total { let total: Decimal }
@Selection private struct Identity { let id: UUID }
@Selection private struct Plain { @Column(as: .decimal(scale: 3)) let plain: Decimal }
@Selection private struct WholeSelection: Equatable {
  @Column(as: .uuidBytes) let id: UUID
  @Column(as: .decimal(scale: 2)) let total: Decimal
  let plain: Decimal
}

@Suite("Storage of a selection's properties")
struct SelectionStorageTests {
  @Test("a property without the column's storage is refused, with the storage to write")
  func refused() async throws {
    let bills = Table<Bill>()
    try await withFile(DatabaseSchema(Bill.self)) { database throws in
      let id = try await failure {
        _ = try await bills.select { Identity.Columns(id: $0.id) }.fetchAll(in: database)
      }
      #expect(
        id.message.contains(
          "Property id of a @Selection reads UUID, but the selected column stores UUIDBytes: write "
            + "'@Column(as: .uuidBytes)' on the property"))
      let plain = try await failure {
        _ = try await bills.select { Plain.Columns(plain: $0.plain) }.fetchAll(in: database)
      }
      #expect(
        plain.message.contains(
          "Property plain of a @Selection reads ScaledDecimal<S3>, but the selected column stores "
            + "Decimal: leave out '@Column(as:)' on the property"))
    }
  }

  @Test("a property with the column's storage is read")
  func read() async throws {
    let bill = Bill(id: UUID(), total: 9.99, plain: 0.5)
    try await withFile(DatabaseSchema(Bill.self)) { database throws in
      try await Table<Bill>().insert(bill, in: database)
      let rows = try await Table<Bill>().select {
        WholeSelection.Columns(id: $0.id, total: $0.total, plain: $0.plain)
      }.fetchAll(in: database)
      // A decimal in units is converted to a plain Decimal.
      let totals = Table<Bill>().select { Total.Columns(total: $0.total) }
      #expect(try await totals.fetchAll(in: database).map(\.total) == [bill.total])
      #expect(rows == [WholeSelection(id: bill.id, total: bill.total, plain: bill.plain)])
    }
  }
}
