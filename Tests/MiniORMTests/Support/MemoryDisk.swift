#if os(Linux)
  import TestSupport
  import Testing

  /// A disk in memory.
  struct MemoryDisk {
    /// Where it is mounted.
    let folder: String

    /// Calls a closure with one, if the system lets this process mount it.
    /// - Parameter size: In bytes.
    /// - Returns: Whether it does.
    @discardableResult
    static func mounted(
      size: Int, _ body: (_ disk: MemoryDisk) async throws -> Void
    ) async throws -> Bool {
      try await withTemporaryDirectory { folder in
        let mounted = try? await ChildProcess.run(
          "mount", ["-t", "tmpfs", "-o", "size=\(size)", "miniorm-test", folder])
        guard mounted?.status == 0 else { return false }
        let result: Result<Void, any Error>
        do {
          result = .success(try await body(MemoryDisk(folder: folder)))
        } catch {
          result = .failure(error)
        }
        let ended = try await ChildProcess.run("umount", ["--lazy", folder])
        #expect(ended.status == 0, "\(ended.output)")
        try result.get()
        return true
      }
    }

    /// Mounts it with another option, such as "ro" or another size.
    func remount(_ option: String) async throws {
      var ended = ChildProcess.Ended(status: 0, output: "")
      // "mount point is busy" while a process that another test spawns has a copy of a descriptor that this one has open for
      // writing: until its program begins.
      for _ in 1...100 {
        ended = try await ChildProcess.run("mount", ["-o", "remount,\(option)", folder])
        if ended.status == 0 { return }
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(ended.status == 0, "\(ended.output)")
    }
  }
#endif
