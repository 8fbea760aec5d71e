import Foundation

enum SecretFile {
  /// The maximum size of a key. A larger file is probably the wrong file.
  static let limit = 1 << 20

  /// Reads a file that only the current user may read.
  static func bytes(_ path: String) throws -> [UInt8] {
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw Failure(
        .usage, "the key file \(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    // The open descriptor is checked, because the path may change at any time.
    var information = stat()
    guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
      throw Failure(
        .usage, "the key file \(path) is not a regular file: give the path of a regular file")
    }
    guard information.st_mode & 0o077 == 0 else {
      throw Failure(
        .usage, "the key file \(path) can be read by others: protect it with chmod 600 \(path)")
    }
    guard information.st_uid == geteuid() || information.st_uid == 0 else {
      throw Failure(.usage, "the key file \(path) belongs to another user: change its owner")
    }
    return try bytes(descriptor: descriptor, "the key file \(path)")
  }

  /// Rejects a descriptor that the tool did not inherit, such as an internal descriptor that never
  /// returns data.
  static func checkInherited(_ descriptor: Int32) throws {
    let flags = fcntl(descriptor, F_GETFD)
    // An inherited descriptor does not have the close-on-exec flag.
    guard flags >= 0, flags & FD_CLOEXEC == 0 else {
      throw Failure(
        .usage,
        "the file descriptor \(descriptor) is not open: open it in the shell, as in \(descriptor)<key.txt"
      )
    }
  }

  /// Reads to the end, or until the task is cancelled. After a second without data, prints the name
  /// of the input.
  static func bytes(descriptor: Int32, _ name: String, limit: Int = limit) throws -> [UInt8] {
    var secret: [UInt8] = []
    var waits = 0
    var buffer = [UInt8](repeating: 0, count: 4096)
    defer { buffer.wipe() }
    func fail(_ reason: String) -> Failure {
      secret.wipe()
      return Failure(.usage, "\(name) cannot be read: \(reason)")
    }
    while true {
      guard !Task.isCancelled else {
        secret.wipe()
        throw CancellationError()
      }
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, 100)
      if ready == 0 || (ready < 0 && errno == EINTR) {
        waits += 1
        if waits == 10 { Terminal.complain("waiting for \(name)") }
        continue
      }
      let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        guard errno != EINTR, errno != EAGAIN else { continue }
        throw fail(String(cString: strerror(errno)))
      }
      guard count > 0 else { break }
      guard secret.count + count <= limit else { throw fail("it has more than \(limit) bytes") }
      if secret.capacity < secret.count + count {
        // Growing an array would leave a copy of the bytes in memory.
        var longer: [UInt8] = []
        longer.reserveCapacity(2 * (secret.count + count))
        longer += secret
        secret.wipe()
        secret = longer
      }
      secret += buffer[..<count]
    }
    return secret
  }
}
