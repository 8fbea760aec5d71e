import Testing

@testable import MiniORM

@Table("wide")
private struct Wide: Equatable {
  let id: Int64
  var a00, a01, a02, a03, a04, a05, a06, a07, a08, a09: Int?
  var a10, a11, a12, a13, a14, a15, a16, a17, a18, a19: Int?
  var a20, a21, a22, a23, a24, a25, a26, a27, a28, a29: Int?
  var a30, a31, a32, a33, a34, a35, a36, a37, a38, a39: Int?
  var a40, a41, a42, a43, a44, a45, a46, a47, a48, a49: Int?
  var a50, a51, a52, a53, a54, a55, a56, a57, a58, a59: Int?
  var a60, a61, a62, a63, a64, a65, a66, a67, a68, a69: Int?
  var a70, a71, a72, a73, a74, a75, a76, a77, a78, a79: Int?
  var a80, a81, a82, a83, a84, a85, a86, a87, a88, a89: Int?
  var a90, a91, a92, a93, a94, a95, a96, a97, a98, a99: Int?
}

@Suite("Wide models")
struct WideModelTests {
  @Test("101 columns, and a batch beyond SQLite's parameter limit")
  func wide() async throws {
    try await withFile(DatabaseSchema(Wide.self)) { database throws in
      let table = Table<Wide>()
      let rows = (0..<400).map { Wide.Draft(a00: $0, a50: -$0, a99: $0 * 2) }
      #expect(rows.count * 100 > 32_766)
      #expect(Wide.schema.insertion.draft.rowsPerStatement == 20)
      #expect(try await table.insert(contentsOf: rows, in: database) == 400)
      #expect(try await table.sum(of: { $0.a99 }, in: database) == 159_600)
      var last = try #require(try await table.find(400, in: database))
      #expect(last == Wide(id: 400, a00: 399, a50: -399, a99: 798))
      last.a98 = 5
      #expect(try await table.update(last, in: database))
      #expect(try await table.where { $0.a98 != nil }.fetchAll(in: database) == [last])
    }
  }
}
