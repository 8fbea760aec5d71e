#if canImport(Glibc)
  import Foundation
  import Glibc

  /// An HTTP server on a free port of the loopback interface. A thread serves each connection, which
  /// ends after one answer.
  final class LocalServer: Sendable {
    struct Request: Sendable {
      let method: String
      /// The path and the query, as they were sent.
      let target: String
      /// Names in lower case.
      let headers: [String: String]
      let head: [UInt8]
      var body: [UInt8]

      var path: String { String(target.prefix { $0 != "?" }).removingPercentEncoding ?? "" }
      var query: [String: String] {
        let items = URLComponents(string: target)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
      }
      /// The method; LIST for a list of objects.
      var verb: String { query["list-type"] == "2" ? "LIST" : method }
    }

    /// The bytes of an answer. Without bytes, the connection just ends.
    struct Answer: Sendable {
      var bytes: [UInt8] = []
      var delay: TimeInterval = 0
      /// The time between two bytes.
      var pause: TimeInterval = 0

      static func status(
        _ status: Int, _ body: [UInt8] = [], _ headers: [String: String] = [:]
      ) -> Answer {
        let fields = ["Content-Length": "\(body.count)", "Connection": "close"]
          .merging(headers) { $1 }.filter { $0.value != "" }
          .map { "\($0.key): \($0.value)\r\n" }.joined()
        return Answer(bytes: Array("HTTP/1.1 \(status) X\r\n\(fields)\r\n".utf8) + body)
      }
    }

    let port: UInt16
    private let descriptor: Int32

    init(_ respond: @escaping @Sendable (Request) -> Answer) throws {
      let descriptor = socket(
        AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      self.descriptor = descriptor
      var address = Self.loopback(0)
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0
            && getsockname(descriptor, $0, &length) == 0
        }
      }
      guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
      port = UInt16(bigEndian: address.sin_port)
      Thread.detachNewThread {
        while case let connection = accept(descriptor, nil, nil), connection >= 0 {
          Thread.detachNewThread {
            defer {
              // A child process may have inherited the connection.
              shutdown(connection, Int32(SHUT_RDWR))
              close(connection)
            }
            guard let request = Self.read(connection) else { return }
            let answer = respond(request)
            Thread.sleep(forTimeInterval: answer.delay)
            guard answer.pause > 0 else {
              Self.write(answer.bytes, to: connection)
              return
            }
            for byte in answer.bytes where Self.write([byte], to: connection) {
              Thread.sleep(forTimeInterval: answer.pause)
            }
          }
        }
        close(descriptor)
      }
    }

    // Ends the thread that accepts connections.
    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Sends a request to another server, and returns its answer.
    static func forward(_ request: Request, to port: UInt16) -> Answer {
      let connection = socket(
        AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      defer { close(connection) }
      guard isConnected(connection, port) else { return Answer() }
      // The server may keep a connection open that has no such header.
      let head = String(decoding: request.head.dropLast(2), as: UTF8.self)
        .replacing("Connection: keep-alive\r\n", with: "")
      write(Array("\(head)Connection: close\r\n\r\n".utf8) + request.body, to: connection)
      var answer = Answer()
      while let part = Self.part(connection) { answer.bytes += part }
      return answer
    }

    /// True if a server listens to a port.
    static func isListening(_ port: UInt16) -> Bool {
      let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(connection) }
      return isConnected(connection, port)
    }

    private static func isConnected(_ connection: Int32, _ port: UInt16) -> Bool {
      var address = loopback(port)
      return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      return address
    }

    private static func read(_ connection: Int32) -> Request? {
      var bytes: [UInt8] = []
      let end = Array("\r\n\r\n".utf8)
      while true {
        guard let part = Self.part(connection) else { return nil }
        bytes += part
        guard let blank = bytes.firstRange(of: end) else { continue }
        let head = Array(bytes[..<blank.upperBound])
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        let words = (lines.first ?? "").split(separator: " ").map(String.init)
        guard words.count == 3 else { return nil }
        let fields = lines.dropFirst().map { line in
          let colon = line.firstIndex(of: ":") ?? line.endIndex
          return (
            line[..<colon].lowercased(),
            line[colon...].dropFirst().trimmingCharacters(in: .whitespaces)
          )
        }
        let headers = Dictionary(fields) { $1 }
        var body = Array(bytes[blank.upperBound...])
        while body.count < headers["content-length"].flatMap({ Int($0) }) ?? 0 {
          guard let part = Self.part(connection) else { return nil }
          body += part
        }
        return Request(
          method: words[0], target: words[1], headers: headers, head: head, body: body)
      }
    }

    private static func part(_ connection: Int32) -> [UInt8]? {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = recv(connection, &buffer, buffer.count, 0)
      return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// - Returns: False if the client has ended the connection.
    @discardableResult
    private static func write(_ bytes: [UInt8], to connection: Int32) -> Bool {
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes {
          send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }
#endif
