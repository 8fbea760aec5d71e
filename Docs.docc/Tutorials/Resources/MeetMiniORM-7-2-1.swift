enum Screen {
  /// Clears the terminal, and writes lines.
  static func show(_ lines: [String]) {
    print("\u{1B}[2J\u{1B}[H", terminator: "")
    for line in lines { print(line) }
  }
}
