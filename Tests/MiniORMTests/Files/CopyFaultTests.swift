#if os(Linux)
  import Foundation
  import Testing

  @testable import MiniORM

  @Suite("Copies on a failing disk")
  struct CopyFaultTests {
    // The last write of a copy is its first page. The PRAGMA has already returned its row by then.
    @Test(
      "whichever disk write fails, the earlier backup is replaced completely or not at all",
      arguments: [FaultyDisk.Call.write, .partialWrite, .full])
    func writes(call: FaultyDisk.Call) async {
      await #expect(processExitsWith: .success) { [call = call.rawValue as String] in
        try #require(FaultyDisk.install())
        let call = try #require(FaultyDisk.Call(rawValue: call))
        try await withTemporaryPath { path throws in
          let key = Key.raw(testKeyBytes)
          let database = try await Database(path: path, key: key)
          try await database.write { try $0.execute("CREATE TABLE t AS SELECT 1 AS a") }
          let target = path + "-backup"
          try await database.backup(to: target)
          var failures = 0
          for number in 1... {
            FaultyDisk.arm(call, number, lasting: true)
            do {
              try await database.backup(to: target, replacing: true)
            } catch let error as DatabaseError {
              failures += 1
              #expect([.inputOutput, .full].contains(error.code.primary), "\(number): \(error)")
            }
            let isStruck = FaultyDisk.struck > 0
            FaultyDisk.disarm()
            let backup = try await Database(path: target, key: key)
            #expect(try await backup.values("SELECT a FROM t") == [.integer(1)], "\(number)")
            try await backup.close()
            if !isStruck { break }
          }
          #expect(failures > 3)
          try await database.close()
        }
      }
    }
  }
#endif
