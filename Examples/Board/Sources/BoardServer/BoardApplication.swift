import Foundation
import Hummingbird
import MiniORM

/// Where the board listens, and where it keeps its file and key.
public struct Settings: Sendable {
  /// The address to listen at.
  public var host = "127.0.0.1"
  /// The port to listen at.
  public var port = 8080
  /// The encrypted file, which is made where there is none.
  public var path = "board.db"
  /// The file with the key, which is made where there is none.
  public var keyPath = "board.key"

  /// Settings of `HOST`, `PORT`, `BOARD_FILE` and `BOARD_KEY_FILE`.
  public static func ofEnvironment() -> Settings {
    let environment = ProcessInfo.processInfo.environment
    var settings = Settings()
    if let host = environment["HOST"] { settings.host = host }
    if let port = environment["PORT"].flatMap(Int.init) { settings.port = port }
    if let path = environment["BOARD_FILE"] { settings.path = path }
    if let path = environment["BOARD_KEY_FILE"] { settings.keyPath = path }
    return settings
  }
}

/// The board as a web server.
public enum BoardApplication {
  /// Serves the board until SIGTERM or SIGINT, then ends what runs and closes the file.
  public static func run(settings: Settings) async throws {
    try await make(settings: settings).runService()
  }

  static func make(settings: Settings) async throws -> some ApplicationProtocol {
    let store = try await Store(path: settings.path) {
      try KeyFile.key(at: settings.keyPath, of: settings.path)
    }
    let live = LiveBoard(store)
    return Application(
      router: store.routes(live: live),
      configuration: .init(
        address: .hostname(settings.host, port: settings.port), serverName: "Board"),
      services: [live])
  }
}
