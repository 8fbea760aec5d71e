import ArgumentParser
import Foundation

/// The tool's output. Results go to the standard output, messages to the standard error.
enum Terminal {
  static let showsProgress = isatty(STDERR_FILENO) == 1
  static let showsOutput = isatty(STDOUT_FILENO) == 1

  /// The number of columns of the terminal on the standard output, if there is one.
  static var width: Int? {
    var size = winsize()
    guard showsOutput, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return nil
    }
    return Int(size.ws_col)
  }

  /// - Throws: ``Failure``, for example on a full disk. If the reader of a pipe has ended, as `head`
  ///   does, the program ends without a message, with the status of programs that SIGPIPE ends.
  static func output(_ text: String) throws {
    guard send(text, to: STDOUT_FILENO) else {
      if errno == EPIPE { throw ExitCode(128 + SIGPIPE) }
      throw Failure("the output cannot be written: \(String(cString: strerror(errno)))")
    }
  }

  /// Writes a message, which begins with the name of the program.
  static func complain(_ text: String) {
    send("miniorm: \(text.printable)\n", to: STDERR_FILENO)
  }

  /// Writes a text. Returns false on failure, with the reason in `errno`.
  @discardableResult
  static func send(_ text: String, to descriptor: Int32) -> Bool {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EAGAIN {
        // The descriptor is non-blocking, and the reader is slow.
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&waiting, 1, 1_000)
        continue
      }
      guard count > 0 || errno == EINTR else { return false }
      bytes = bytes.dropFirst(max(0, count))
    }
    return true
  }
}

extension String {
  /// The text without control characters that a terminal would interpret. Line feeds are kept.
  var printable: String {
    guard unicodeScalars.contains(where: \.isControl) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.isControl {
        text += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }

  var inOneLine: String {
    printable.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n")
  }

  /// The number of terminal columns. East Asian characters and emoji take two columns.
  var width: Int {
    if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.count }
    return reduce(into: 0) { width, character in
      guard let scalar = character.unicodeScalars.first else { return }
      width += scalar.isWide ? 2 : 1
    }
  }

  func padded(to width: Int, atEnd: Bool = true) -> String {
    let spaces = String(repeating: " ", count: max(0, width - self.width))
    return atEnd ? self + spaces : spaces + self
  }
}

extension Unicode.Scalar {
  var isControl: Bool {
    self != "\n"
      && (value < 0x20 || (0x7f..<0xa0).contains(value)
        // Bidirectional controls would change the displayed order of the text.
        || (0x202a...0x202e).contains(value) || (0x2066...0x2069).contains(value))
  }

  fileprivate var isWide: Bool {
    switch value {
    case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff,
      0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1faff, 0x20000...0x3fffd:
      true
    default: false
    }
  }
}
