import ArgumentParser
import MiniORM

struct KeyOptions: ParsableArguments {
  @Option(name: .customLong("key-fd"), help: "Reads the key from a file descriptor, to its end.")
  var descriptor: Int32?

  @Option(
    name: .customLong("key-file"),
    help: "Reads the key from a file that only you can read.",
    completion: .file())
  var file: String?

  @Flag(name: .customLong("raw"), help: "The key is raw: 32 bytes, or 64 hexadecimal digits.")
  var isRaw = false

  var isGiven: Bool { descriptor != nil || file != nil || isRaw }

  func source() throws -> KeySource { try .chosen(descriptor, file, "--key-fd", "--key-file") }

  func validate() throws { _ = try source() }

  func read(_ title: String, isNew: Bool = false, salt: [UInt8]? = nil) throws -> Key {
    try source().read(isRaw: isRaw, title: title, isNew: isNew, salt: salt)
  }
}

struct NewKeyOptions: ParsableArguments {
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

  var isGiven: Bool { descriptor != nil || file != nil || isRaw }

  func source() throws -> KeySource {
    try .chosen(descriptor, file, "--new-key-fd", "--new-key-file")
  }

  func validate() throws { _ = try source() }

  func read(_ title: String) throws -> Key {
    try source().read(isRaw: isRaw, title: title, isNew: true)
  }

  /// Rejects a descriptor that both keys share: the first key would consume all bytes.
  func check(against other: KeyOptions) throws {
    guard descriptor == nil || descriptor != other.descriptor else {
      throw ValidationError("The two keys need different file descriptors.")
    }
  }
}

extension KeySource {
  fileprivate static func chosen(
    _ descriptor: Int32?, _ file: String?, _ descriptorOption: String, _ fileOption: String
  ) throws -> KeySource {
    switch (descriptor, file) {
    case (_?, _?):
      throw ValidationError("Give either \(descriptorOption) or \(fileOption), not both.")
    case (let number?, nil):
      guard number >= 0, number != 1, number != 2 else {
        throw ValidationError(
          "\(descriptorOption) must be the number of a descriptor to read from.")
      }
      return .descriptor(number)
    case (nil, let path?): return .file(path)
    case (nil, nil): return .prompt
    }
  }
}
