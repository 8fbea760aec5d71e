#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// The messages of scripts that cannot do their work.
  @Suite("Scripts")
  struct ScriptTests {
    @Test("the page names the version of swift-syntax that a fresh clone resolves")
    func resolvedVersion() throws {
      struct Resolved: Decodable {
        struct Pin: Decodable {
          struct State: Decodable { let version: String? }
          let identity: String
          let state: State
        }
        let pins: [Pin]
      }
      let package = try #require(Compiler.here).package
      let pins = try JSONDecoder().decode(
        Resolved.self, from: Data(contentsOf: package.appendingPathComponent("Package.resolved"))
      ).pins
      let version = try #require(pins.first { $0.identity == "swift-syntax" }?.state.version)
      let page = try String(
        contentsOf: package.appendingPathComponent("Docs.docc/AddingMiniORM.md"), encoding: .utf8)
      #expect(page.split { !"0123456789.".contains($0) }.contains(Substring(version)))
    }

    @Test(
      "a script with wrong arguments prints an error and fails",
      arguments: [
        (["serve", "/no/such/folder"], "serve: error: there is no folder /no/such/folder\n"),
        (
          ["serve", "/no/such/folder", "8000", "/MiniORM/"],
          "serve: error: there is no folder /no/such/folder\n"
        ),
        (["serve", "/dev/null"], "serve: error: there is no folder /dev/null\n"),
        (["test-targets", "docs", "nope"], "test-targets: error: make has no target nope\n"),
        (
          ["maintainer/test-with-sqlcipher", "3.0"],
          "test-with-sqlcipher: error: which version? One of 4.6.1 4.10.0 4.12.0 4.19.0 or all; "
            + "or one of them with -bare\n"
        ),
        (
          ["install-sqlcipher", "--prefixx", "a"],
          "install-sqlcipher: error: unknown argument '--prefixx': only --prefix, --from and --sha256 exist\n"
        ),
        (["install-sqlcipher", "--prefix"], "install-sqlcipher: error: --prefix needs a value\n"),
        (
          ["install-sqlcipher", "--from", "/dev/null"],
          "install-sqlcipher: error: --from and --sha256 belong together: the sum shows that the archive is the expected one\n"
        ),
        (
          ["install-sqlcipher", "--from", "/dev/null", "--sha256", "abc"],
          "install-sqlcipher: error: the SHA-256 of /dev/null is\n"
            + "  e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855, expected abc\n"
        ),
        (
          ["maintainer/build-cost", "nope"],
          "build-cost: error: 'nope' is none of plain, grdb, miniorm, miniorm-onone\n"
        ),
      ])
    func complaint(command: [String], complaint: String) async throws {
      let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
      let script = package.appendingPathComponent("scripts/\(command[0])")
      let ended = try await ChildProcess.run(
        script.path, Array(command.dropFirst()), limit: .seconds(60))
      #expect(ended == .init(status: 1, output: complaint))
    }
  }
#endif
