#if canImport(Glibc)
  import Foundation
  import Testing

  @testable import MiniORMBackupS3

  @Suite("Conditional puts to S3")
  struct ConditionalPutTests {
    enum Service: CaseIterable, Sendable {
      /// The service has no such object.
      case empty
      /// The service has the object.
      case filled
      /// Another caller creates the object at the same moment.
      case raced
      /// The service does not know the header.
      case old
    }

    @Test("an object is created once, or by a plain put", arguments: Service.allCases)
    func create(kind: Service) async throws {
      let service = try FaultyService()
      let store = try service.store()
      switch kind {
      case .empty: break
      case .filled: service.add("a/1", [9])
      case .raced: service.fail("PUT", .refuse(412, "PreconditionFailed"))
      case .old: service.fail("PUT", .refuse(501, "NotImplemented"))
      }
      let isCreated = try await store.create("a/1", [1, 2])
      #expect(isCreated == (kind == .empty || kind == .old))
      let puts = service.requests.filter { $0.method == "PUT" }
      let headers: [String?] = kind == .filled ? [] : kind == .old ? ["*", nil] : ["*"]
      #expect(puts.map { $0.headers["if-none-match"] } == headers)
      let signed = puts.first?.headers["authorization"]?.contains("if-none-match") ?? true
      #expect(signed)
      let expected: [UInt8]? = kind == .filled ? [9] : kind == .raced ? nil : [1, 2]
      #expect(service.objects["a/1"] == expected)
    }
  }
#endif
