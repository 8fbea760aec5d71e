#if os(Linux)
  import TestSupport
  import Testing

  /// A tmpfs mount.
  struct MemoryDisk {
    /// The mount point.
    let folder: String

    /// Calls a closure with a disk, if the system allows this process to mount it.
    /// - Parameter size: The size in bytes.
    /// - Returns: False if mounting is not allowed.
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

    /// Remounts the disk with an option, such as "ro" or a size.
    func remount(_ option: String) async throws {
      var ended = ChildProcess.Ended(status: 0, output: "")
      // Retries "mount point is busy": a child process of another test keeps a copy of a writable
      // descriptor until it calls exec.
      for _ in 1...100 {
        ended = try await ChildProcess.run("mount", ["-o", "remount,\(option)", folder])
        if ended.status == 0 { return }
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(ended.status == 0, "\(ended.output)")
    }
  }
#endif
