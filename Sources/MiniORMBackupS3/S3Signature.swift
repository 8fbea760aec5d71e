import Foundation
import MiniORM

/// Signature Version 4: HMAC-SHA256 of the method, the address, some headers and the body's hash.
///
/// See [Signature Version 4](https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html).
enum S3Signature {
  /// Returns the header `Authorization`.
  /// - Parameters:
  ///   - path: The percent-encoded path.
  ///   - query: The encoded query, sorted by name.
  ///   - headers: The headers to sign, with names in lower case: at least `host`, `x-amz-date` and
  ///     `x-amz-content-sha256`.
  static func authorization(
    _ method: String, _ path: String, _ query: String, _ headers: [String: String],
    _ credentials: S3Credentials, region: String
  ) throws -> String {
    let sorted = headers.sorted { $0.key < $1.key }
    let names = sorted.map(\.key).joined(separator: ";")
    let time = headers["x-amz-date"] ?? ""
    let request = [
      method, path, query, sorted.map { "\($0.key):\($0.value)\n" }.joined(), names,
      headers["x-amz-content-sha256"] ?? "",
    ].joined(separator: "\n")

    let parts = [String(time.prefix(8)), region, "s3", "aws4_request"]
    let scope = parts.joined(separator: "/")
    let text = ["AWS4-HMAC-SHA256", time, scope, hexadecimal(try hash(Array(request.utf8)))]
      .joined(separator: "\n")
    var key = Array("AWS4\(credentials.secretAccessKey)".utf8)
    for part in parts { key = try sha256.hmac(of: Array(part.utf8), key: key) }
    let signature = hexadecimal(try sha256.hmac(of: Array(text.utf8), key: key))
    return "AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyID)/\(scope),"
      + "SignedHeaders=\(names),Signature=\(signature)"
  }

  /// Returns the SHA-256 of some bytes.
  static func hash(_ bytes: [UInt8]) throws -> [UInt8] { try sha256.hash(of: bytes) }

  /// For example, `20130524T000000Z`.
  static func time(_ date: Date) -> String {
    date.formatted(
      Date.ISO8601FormatStyle(
        dateSeparator: .omitted, dateTimeSeparator: .standard, timeSeparator: .omitted,
        timeZoneSeparator: .omitted, timeZone: .gmt))
  }

  /// Percent-encodes all bytes but letters, digits, `-._~` and, in a path, `/`.
  static func encoded(_ text: String, isPath: Bool = false) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      case UInt8(ascii: "/") where isPath: result += "/"
      default: result += "%" + hexadecimal([byte]).uppercased()
      }
    }
    return result
  }

  private static let sha256 = CipherSettings.HashFunction.sha256

  static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

extension CipherSettings.HashFunction {
  /// Returns the HMAC of some bytes, computed by the platform's cryptography.
  /// - Throws: A ``DatabaseError`` if the platform fails, for example for want of memory.
  fileprivate func hmac(of data: [UInt8], key: [UInt8]) throws(DatabaseError) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: size)
    let isComputed = code.withUnsafeMutableBytes { code in
      data.withUnsafeBytes { data in
        key.withUnsafeBytes { authenticate(data, key: $0, into: code) }
      }
    }
    guard isComputed else { throw DatabaseError(.read, "The platform's HMAC failed") }
    return code
  }
}
