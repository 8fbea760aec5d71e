import Foundation
import MiniORM

extension KeyArguments {
  /// Reads a key.
  /// - Parameters:
  ///   - title: The title of the prompt.
  ///   - isNew: True to ask twice: with a mistyped new key, the file could not be opened again.
  ///   - salt: The salt, if the file does not store it.
  /// - Throws: ``Failure``, without any part of the key.
  func read(_ title: String, isNew: Bool = false, salt: [UInt8]? = nil) throws -> Key {
    var secret: [UInt8] = []
    defer { secret.wipe() }
    if let descriptor {
      try SecretFile.checkInherited(descriptor)
      secret = try SecretFile.bytes(descriptor: descriptor, "the file descriptor \(descriptor)")
      return try key(&secret, salt: salt, "The key of the file descriptor \(descriptor)")
    } else if let file {
      secret = try SecretFile.bytes(file)
      return try key(&secret, salt: salt, "The key of \(file)")
    }
    secret = try Prompt.ask(title)
    if isNew {
      var second = try Prompt.ask("\(title), again")
      defer { second.wipe() }
      guard secret == second else {
        throw Failure(
          .usage, "the two keys differ, so nothing was changed: type the same key twice")
      }
    }
    return try key(&secret, isFile: false, salt: salt, "The key")
  }

  /// Creates a key from bytes, and removes a line feed at their end.
  private func key(
    _ secret: inout [UInt8], isFile: Bool = true, salt: [UInt8]?, _ name: String
  ) throws -> Key {
    // 32 bytes are the key itself, unless all are hexadecimal digits, which are half a key.
    if isRaw, isFile, secret.count == 32, secret.contains(where: { $0.hexadecimalDigit == nil }) {
      return .raw(secret, salt: salt)
    }
    if secret.last == UInt8(ascii: "\n") {
      secret.removeLast()
      if secret.last == UInt8(ascii: "\r") { secret.removeLast() }
    }
    guard !secret.isEmpty else {
      throw Failure(.usage, "\(name) is empty: give a passphrase or a raw key")
    }
    guard isRaw else { return .passphrase(bytes: secret, salt: salt) }
    guard secret.count == 64 || secret.count == 96, var bytes = secret.hexadecimalBytes else {
      throw Failure(
        .usage,
        "\(name) is not a raw key: give 32 bytes, or 64 hexadecimal digits, or 96 with the salt"
      )
    }
    defer { bytes.wipe() }
    return .raw(bytes[..<32], salt: bytes.count == 48 ? Array(bytes[32...]) : salt)
  }
}

extension [UInt8] {
  mutating func wipe() {
    withUnsafeMutableBytes { bytes in
      guard let address = bytes.baseAddress else { return }
      #if canImport(Darwin)
        _ = memset_s(address, bytes.count, 0, bytes.count)
      #else
        explicit_bzero(address, bytes.count)
      #endif
    }
  }

  var hexadecimalBytes: [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count / 2)
    for index in stride(from: 0, to: count - 1, by: 2) {
      guard let high = self[index].hexadecimalDigit, let low = self[index + 1].hexadecimalDigit
      else {
        bytes.wipe()
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return bytes
  }
}

extension UInt8 {
  fileprivate var hexadecimalDigit: UInt8? {
    Character(Unicode.Scalar(self)).hexDigitValue.map { UInt8($0) }
  }
}
