import Foundation
import Hummingbird
import HummingbirdCore
import MiniORM
import NIOCore
import ServiceLifecycle

/// The address of the board, and the paths of its file and its key.
public struct Settings: Sendable {
  /// The address to listen at.
  public var host = "127.0.0.1"
  /// The port to listen at.
  public var port = 8080
  /// The encrypted file. A new board creates it.
  public var path = "board.db"
  /// The file with the key. A new board creates it.
  public var keyPath = "board.key"
  /// The address of the page, such as `https://board.example.org`, if the page is not on this host.
  public var origin: String?

  /// Reads `HOST`, `PORT`, `ORIGIN`, `BOARD_FILE` and `BOARD_KEY_FILE`.
  /// - Throws: An error with a description for the user if a value is invalid.
  public init(environment: [String: String] = ProcessInfo.processInfo.environment) throws {
    if let host = environment["HOST"] { self.host = host }
    if let text = environment["PORT"] {
      guard let port = Int(text), (1...65_535).contains(port) else {
        throw StartError("PORT is \(text), and must be a number from 1 to 65535")
      }
      self.port = port
    }
    if let path = environment["BOARD_FILE"] { self.path = path }
    if let path = environment["BOARD_KEY_FILE"] { keyPath = path }
    if let text = environment["ORIGIN"] {
      guard let url = URL(string: text), let scheme = url.scheme,
        ["http", "https"].contains(scheme),
        url.host() != nil, url.path().isEmpty
      else {
        throw StartError("ORIGIN is \(text), and must be an address such as https://example.org")
      }
      origin = text.lowercased()
    }
  }

  /// The values of the header Origin that a page of this board sends.
  var origins: Set<String> {
    if let origin { return [origin] }
    // A browser leaves out the default port.
    let port = port == 80 ? "" : ":\(port)"
    return Set(
      [host, "127.0.0.1", "localhost", "[::1]"].map { "http://\($0.lowercased())\(port)" })
  }
}

/// The board as a web server.
public enum BoardApplication {
  /// Serves the board until SIGTERM or SIGINT, then lets requests finish and closes the file.
  public static func run(settings: Settings) async throws {
    let store = try await Store(path: settings.path) {
      try KeyFile.key(at: settings.keyPath, of: settings.path)
    }
    do {
      try await serve(store, settings)
    } catch {
      try? await store.database.close()
      throw error
    }
    try await store.database.close()
  }

  private static func serve(_ store: Store, _ settings: Settings) async throws {
    let live = LiveBoard(store)
    // The database needs open files too.
    let connections = MaximumAvailableConnections(raisedFileLimit() - 64)
    let application = Application(
      router: store.routes(live: live, origins: settings.origins),
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [
            IdleStateHandler(writeTimeout: .seconds(30)), CloseIdleConnection(),
          ],
          idleTimeout: .seconds(10))),
      configuration: .init(
        address: .hostname(settings.host, port: settings.port), serverName: "Board",
        backlog: 1024, availableConnectionsDelegate: connections),
      services: [live])
    var group = ServiceGroupConfiguration(
      services: [application], gracefulShutdownSignals: [.sigterm, .sigint],
      logger: application.logger)
    group.maximumGracefulShutdownDuration = .seconds(5)
    do {
      try await ServiceGroup(configuration: group).run()
    } catch let error as IOError {
      throw StartError(
        "The board cannot listen at \(settings.host):\(settings.port): "
          + String(cString: strerror(error.errnoCode)))
    }
  }

  /// Raises the limit of open files to the maximum of this process, and returns the limit.
  private static func raisedFileLimit() -> Int {
    #if os(Linux)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return 256 }
    let current = limit.rlim_cur
    // macOS accepts no higher limit.
    limit.rlim_cur = max(current, min(limit.rlim_max, 10_240))
    return Int(clamping: setrlimit(resource, &limit) == 0 ? limit.rlim_cur : current)
  }
}

/// Closes a connection whose reader has taken nothing for a time, to free its buffers. The page
/// connects again.
private final class CloseIdleConnection: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is IdleStateHandler.IdleStateEvent {
      context.close(promise: nil)
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }
}
