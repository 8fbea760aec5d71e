#if os(Linux)
  import Foundation
  import Testing
  import TestSupport

  @testable import MiniORM

  /// Operations on an in-memory disk that fills up at different points. MINIORM_KILLS=50 tries that
  /// many sizes.
  @Suite("File operations on a full disk")
  struct FullDiskTests {
    private static let moments =
      ProcessInfo.processInfo.environment["MINIORM_KILLS"].flatMap { Int($0) } ?? 5
    private static let rows = 900

    @Test(
      "an operation on a full disk keeps the old file, reports the error, and works with free space",
      .enabled("This process may not mount a disk in memory") {
        try await MemoryDisk.mounted(size: 1 << 20) { _ in }
      },
      arguments: FileOperation.allCases)
    func full(operation: FileOperation) async throws {
      try await withTemporaryDirectory { folder in
        let original = folder + "/original"
        try operation.prepare(original, rows: Self.rows)
        let sizes = try names(in: original).map { Int(DatabaseFile.size("\(original)/\($0)")) }
        let (size, used) = (Int(DatabaseFile.size(original + "/a.db")), sizes.reduce(0, +))
        var counts: [FileOperation.State: Int] = [:]
        for moment in 0..<Self.moments {
          let room = size * (moment + 1) * 3 / (2 * Self.moments)
          try await MemoryDisk.mounted(size: used + room) { disk in
            let work = disk.folder + "/work"
            try FileManager.default.copyItem(atPath: original, toPath: work)
            var said = "new"
            do {
              try await operation.run(work)
            } catch let error as DatabaseError {
              said = "old \(error)"
              #expect(
                [.full, .inputOutput, .cannotOpen].contains(error.code.primary), "\(error)")
            }
            let place = Comment(rawValue: "\(room) bytes beside \(used): \(said)")
            // A failed operation removes its temporary files.
            #expect(try names(in: work).filter { $0.contains("miniorm") } == [], place)
            try await disk.remount("size=\(16 * used + 16 << 20)")
            let state = try await operation.state(work, rows: Self.rows)
            counts[state, default: 0] += 1
            #expect(said.hasPrefix(state.rawValue), place)
            if state == .old { try await operation.run(work) }
            #expect(try await operation.state(work, rows: Self.rows) == .new, place)
          }
        }
        #expect(counts[.old, default: 0] > 0)
        if Self.moments > 10 { print("full disk", operation.rawValue, size, "bytes", counts) }
      }
    }
  }
#endif
