import ArgumentParser
import MiniORM

/// The options that give a key.
protocol KeyArguments: ParsableArguments {
  /// The start of the options' names.
  static var prefix: String { get }
  var descriptor: Int32? { get }
  var file: String? { get }
  var isRaw: Bool { get }
}

extension KeyArguments {
  var isGiven: Bool { descriptor != nil || file != nil || isRaw }

  func validate() throws {
    guard descriptor == nil || file == nil else {
      throw ValidationError("Give either \(Self.prefix)key-fd or \(Self.prefix)key-file, not both.")
    }
    guard descriptor.map({ $0 >= 0 && $0 != 1 && $0 != 2 }) ?? true else {
      throw ValidationError("\(Self.prefix)key-fd must be the number of a descriptor to read from.")
    }
  }
}

struct KeyOptions: KeyArguments {
  static let prefix = "--"

  @Option(name: .customLong("key-fd"), help: "Reads the key from a file descriptor, to its end.")
  var descriptor: Int32?

  @Option(
    name: .customLong("key-file"),
    help: "Reads the key from a file that only you can read.",
    completion: .file())
  var file: String?

  @Flag(name: .customLong("raw"), help: "The key is raw: 32 bytes, or 64 hexadecimal digits.")
  var isRaw = false
}

struct NewKeyOptions: KeyArguments {
  static let prefix = "--new-"

  @Option(
    name: .customLong("new-key-fd"), help: "Reads the new key from a file descriptor, to its end.")
  var descriptor: Int32?

  @Option(
    name: .customLong("new-key-file"),
    help: "Reads the new key from a file that only you can read.",
    completion: .file())
  var file: String?

  @Flag(
    name: .customLong("new-raw"), help: "The new key is raw: 32 bytes, or 64 hexadecimal digits.")
  var isRaw = false

  /// Rejects a descriptor that both keys share: the first key would consume all bytes.
  func check(against other: KeyOptions) throws {
    guard descriptor == nil || descriptor != other.descriptor else {
      throw ValidationError("The two keys need different file descriptors.")
    }
  }
}
