import Foundation

/// Asks on the terminal device, without echo, because the standard input may contain a query.
enum Prompt {
  private static func failure(_ reason: String) -> Failure {
    Failure(
      .usage,
      "\(reason): use --key-fd or --key-file; for the new key of rekey or export, --new-key-fd or --new-key-file"
    )
  }

  static func ask(_ title: String) throws -> [UInt8] {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else {
      throw failure("there is no terminal to ask for the key")
    }
    defer { close(terminal) }
    var before = termios()
    guard tcgetattr(terminal, &before) == 0 else {
      throw failure("the terminal cannot hide the input")
    }
    var hidden = before
    // Without ISIG, Ctrl-C is a byte. Otherwise, a signal could end the tool before the settings
    // are restored.
    hidden.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | ISIG)
    withUnsafeMutableBytes(of: &hidden.c_cc) { characters in
      characters[Int(VMIN)] = 0
      characters[Int(VTIME)] = 1
    }
    guard tcsetattr(terminal, TCSAFLUSH, &hidden) == 0 else {
      throw failure("the terminal cannot hide the input")
    }
    defer {
      _ = tcsetattr(terminal, TCSAFLUSH, &before)
      Terminal.send("\n", to: terminal)
    }
    Terminal.send("\(title.printable): ", to: terminal)
    return try line(from: terminal)
  }

  private static func line(from terminal: Int32) throws -> [UInt8] {
    var line = [UInt8]()
    line.reserveCapacity(SecretFile.limit)
    func cancel() -> CancellationError {
      line.wipe()
      return CancellationError()
    }
    while true {
      guard !Task.isCancelled else { throw cancel() }
      var byte: UInt8 = 0
      // After a tenth of a second without input, read returns 0 bytes.
      let count = read(terminal, &byte, 1)
      if count == 0 || (count < 0 && (errno == EINTR || errno == EAGAIN)) { continue }
      guard count == 1 else { throw cancel() }
      switch byte {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return line
      case 3: throw cancel()  // Ctrl-C
      case 4 where line.isEmpty: throw cancel()  // Ctrl-D
      case 8, 127:  // Backspace removes a complete UTF-8 character.
        while let last = line.popLast(), last & 0xC0 == 0x80 {}
      case 21: line.removeAll(keepingCapacity: true)  // Ctrl-U
      default:
        guard line.count < SecretFile.limit else { throw cancel() }
        line.append(byte)
      }
    }
  }
}
