import ArgumentParser
import MiniORM

/// What a key is for.
protocol KeyPurpose {
  /// The start of the options' names.
  static var prefix: String { get }
  static var noun: String { get }
}

enum CurrentKey: KeyPurpose { static let (prefix, noun) = ("", "key") }
enum NewKey: KeyPurpose { static let (prefix, noun) = ("new-", "new key") }

typealias KeyOptions = KeyArguments<CurrentKey>
typealias NewKeyOptions = KeyArguments<NewKey>

/// The options that give a key.
struct KeyArguments<Purpose: KeyPurpose>: ParsableArguments {
  @Option(
    name: .customLong("\(Purpose.prefix)key-fd"),
    help: "Reads the \(Purpose.noun) from a file descriptor, to its end.")
  var descriptor: Int32?

  @Option(
    name: .customLong("\(Purpose.prefix)key-file"),
    help: "Reads the \(Purpose.noun) from a file that only you can read.", completion: .file())
  var file: String?

  @Flag(
    name: .customLong("\(Purpose.prefix)raw"),
    help: "The \(Purpose.noun) is raw: 32 bytes, or 64 hexadecimal digits.")
  var isRaw = false

  var isGiven: Bool { descriptor != nil || file != nil || isRaw }

  func validate() throws {
    let option = "--\(Purpose.prefix)key-"
    guard descriptor == nil || file == nil else {
      throw ValidationError("Give either \(option)fd or \(option)file, not both.")
    }
    guard descriptor.map({ $0 >= 0 && $0 != 1 && $0 != 2 }) ?? true else {
      throw ValidationError("\(option)fd must be the number of a descriptor to read from.")
    }
  }

  /// Rejects a descriptor that both keys share: the first key would consume all bytes.
  func check(against other: KeyOptions) throws {
    guard descriptor == nil || descriptor != other.descriptor else {
      throw ValidationError("The two keys need different file descriptors.")
    }
  }
}
