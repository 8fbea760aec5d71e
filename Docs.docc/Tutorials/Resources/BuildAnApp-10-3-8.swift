import MiniORMTesting
import Testing
@testable import Journal

let snapshots = SchemaSnapshots(
  in: "Schemas", besides: #filePath)

@Test func schemaIsRecorded() async throws {
  try await snapshots.expectCurrent(.journal)
}

@Test func everyVersionMigrates() async throws {
  try await snapshots.expectMigrations(to: .journal)
}
