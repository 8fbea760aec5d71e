#if os(Linux)
  import Foundation
  import Testing

  @testable import MiniORM

  @Suite("Files of unknown size")
  struct FileBytesTests {
    @Test("a file of unknown size is not read as an empty file")
    func size() async {
      await #expect(processExitsWith: .success) {
        try #require(FaultyDisk.install())
        try await withTemporaryPath { path throws in
          try Data(count: 8_192).write(to: URL(fileURLWithPath: path))
          try Data(count: 31).write(to: URL(fileURLWithPath: path + "-wal"))
          let file = try FileBytes(path)
          #expect(try file.size == 8_192 && !WriteAheadLog.mayHoldCommit(beside: path))
          #expect(DatabaseFile.copy(path, to: path + ".copy") == nil)

          FaultyDisk.arm(.size, 1, lasting: true)
          let error = await #expect(throws: DatabaseError.self) { _ = try file.size }
          #expect(error?.code.rawValue == FaultyDisk.Call.size.code)
          await #expect(throws: DatabaseError.self) {
            _ = try PageSource(path, pageSize: 4_096, reserved: 0, cipher: nil, damaged: [])
          }
          #expect(DatabaseFile.copy(path, to: path + ".other") == "\(path) cannot be read")
          #expect(!DatabaseFile.exists(path + ".other"))
          #expect(WriteAheadLog.mayHoldCommit(beside: path))
          FaultyDisk.disarm()
          #expect(try file.size == 8_192)
        }
      }
    }
  }
#endif
