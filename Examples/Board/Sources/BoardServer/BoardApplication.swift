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
  public var path: String
  /// The file with the key. A new board creates it.
  public var keyPath: String
  /// The address of the page, such as `https://board.example.org`, if the page is not on this host.
  public var origin: String?

  /// Reads `HOST`, `PORT`, `ORIGIN`, `BOARD_FILE`, `BOARD_KEY_FILE`, and, for the default folder,
  /// `XDG_DATA_HOME` and `HOME`.
  /// - Throws: An error with a description for the user if a value is invalid.
  public init(environment: [String: String] = ProcessInfo.processInfo.environment) throws {
    let folder = DataFolder.path(environment)
    path = environment["BOARD_FILE"] ?? folder + "/board.db"
    keyPath = environment["BOARD_KEY_FILE"] ?? folder + "/board.key"
    if let host = environment["HOST"] { self.host = host }
    if let text = environment["PORT"] {
      guard let port = Int(text), (1...65_535).contains(port) else {
        throw StartError("PORT is \(text), and must be a number from 1 to 65535")
      }
      self.port = port
    }
    if let text = environment["ORIGIN"] {
      guard let url = URL(string: text), let scheme = url.scheme,
        ["http", "https"].contains(scheme),
        url.host() != nil, ["", "/"].contains(url.path()), url.query() == nil, url.user() == nil
      else {
        throw StartError("ORIGIN is \(text), and must be an address such as https://example.org")
      }
      origin = Gate.origin(text)
    }
  }

  /// The values of the header Origin that a page of this board sends.
  var origins: Set<String> {
    if let origin { return [origin] }
    return Set(
      [host, "127.0.0.1", "localhost", "[::1]"].map { Gate.origin("http://\($0):\(port)") })
  }

  /// The address that a person on this machine opens.
  var address: String {
    if let origin { return origin + "/" }
    return Gate.origin("http://\(["0.0.0.0", "::"].contains(host) ? "127.0.0.1" : host):\(port)")
      + "/"
  }
}

/// The board as a web server.
public enum BoardApplication {
  /// Serves the board until SIGTERM or SIGINT, then lets requests finish and closes the file.
  public static func run(settings: Settings) async throws {
    // The database, its log and the backup belong to this user alone.
    umask(0o077)
    try await DataFolder.prepare(settings)
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
    // The database needs open files too.
    let available = raisedFileLimit() - 64
    let connections = MaximumAvailableConnections(available)
    // A client that keeps streams open leaves most connections to others.
    let live = LiveBoard(store, streamsPerClient: max(8, available / 4))
    let application = Application(
      router: store.routes(
        live: live, origins: settings.origins, isBehindProxy: settings.origin != nil),
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [
            IdleStateHandler(writeTimeout: .seconds(30)), CloseIdleConnection(),
          ],
          idleTimeout: .seconds(10))),
      configuration: .init(
        address: .hostname(settings.host, port: settings.port), serverName: "Board",
        backlog: 1024, availableConnectionsDelegate: connections),
      services: [live],
      onServerRunning: { _ in
        print("The board is at \(settings.address)\nIts data is \(settings.path)")
        fflush(nil)
      })
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

  func handlerAdded(context: ChannelHandlerContext) {
    // The system's buffer would take hours of events for a page that does not read.
    context.channel.setOption(.socketOption(.so_sndbuf), value: 64 * 1024).whenFailure { _ in }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is IdleStateHandler.IdleStateEvent {
      context.close(promise: nil)
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }
}
