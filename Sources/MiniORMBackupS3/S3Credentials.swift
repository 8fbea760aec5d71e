public import Foundation

/// An access key of an S3-compatible service. Neither the secret nor the token appears in
/// descriptions, mirrors and errors.
public struct S3Credentials: Sendable {
  let accessKeyID: String
  let secretAccessKey: String
  let sessionToken: String?
  let expiration: Date?

  /// Creates credentials.
  /// - Parameters:
  ///   - accessKeyID: The name of the key.
  ///   - secretAccessKey: The secret that signs requests. It is never sent.
  ///   - sessionToken: The token of temporary credentials.
  ///   - expiration: The end of temporary credentials. An ``S3Store`` asks for new ones a minute
  ///     before.
  public init(
    accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil,
    expiration: Date? = nil
  ) {
    self.accessKeyID = accessKeyID
    self.secretAccessKey = secretAccessKey
    self.sessionToken = sessionToken
    self.expiration = expiration
  }

  /// Returns the credentials in the environment variables `AWS_ACCESS_KEY_ID`,
  /// `AWS_SECRET_ACCESS_KEY` and, if set, `AWS_SESSION_TOKEN`.
  /// - Throws: An ``S3Error`` if one of the first two is not set.
  public static func environment() throws -> S3Credentials {
    try S3Credentials(ProcessInfo.processInfo.environment)
  }

  init(_ variables: [String: String]) throws(S3Error) {
    func value(_ name: String) throws(S3Error) -> String {
      guard let value = variables[name], !value.isEmpty else {
        throw S3Error(
          .invalidArgument, "The environment variable \(name) is not set: set it for this process")
      }
      return value
    }
    let token = variables["AWS_SESSION_TOKEN"] ?? ""
    self.init(
      accessKeyID: try value("AWS_ACCESS_KEY_ID"),
      secretAccessKey: try value("AWS_SECRET_ACCESS_KEY"),
      sessionToken: token.isEmpty ? nil : token)
  }

  /// Reads a profile of a file such as `~/.aws/credentials`: lines `[profile]` and `name = value`.
  /// - Throws: ``S3Error``, without any part of the file.
  package init(file: [UInt8], profile: String) throws(S3Error) {
    var values: [String: String] = [:]
    var isWanted = false
    for line in String(decoding: file, as: UTF8.self).split(whereSeparator: \.isNewline) {
      if let section = line.wholeMatch(of: /\s*\[\s*(.*?)\s*\]\s*/) {
        isWanted = section.1 == profile
      } else if isWanted, let pair = line.wholeMatch(of: /\s*(\w+)\s*=\s*(.*?)\s*/) {
        values[pair.1.lowercased()] = String(pair.2)
      }
    }
    guard let id = values["aws_access_key_id"], let secret = values["aws_secret_access_key"] else {
      throw S3Error(
        .invalidArgument,
        "the profile [\(profile)] has no aws_access_key_id or no aws_secret_access_key: add both, or name another profile in AWS_PROFILE"
      )
    }
    self.init(
      accessKeyID: id, secretAccessKey: secret, sessionToken: values["aws_session_token"])
  }

  /// A line break would end a header, and a copied space would change every signature.
  func validate() throws(S3Error) {
    for (name, value) in [
      ("access key ID", accessKeyID), ("secret access key", secretAccessKey),
      ("session token", sessionToken ?? "-"),
    ] where value.isEmpty || !value.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) {
      throw S3Error(
        .invalidCredentials,
        "The \(name) is empty, or contains a space, a line break or a character beyond ASCII: copy it again"
      )
    }
  }

  /// True from a minute before the end.
  func isOver(at date: Date) -> Bool {
    expiration.map { $0.timeIntervalSince(date) < 60 } ?? false
  }
}

extension S3Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The name of the key, without the secret.
  public var description: String { "S3Credentials(\(accessKeyID), hidden)" }
  /// The name of the key, without the secret.
  public var debugDescription: String { description }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }  // hides the secret
}
