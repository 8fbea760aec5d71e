import Foundation
import TestSupport
import Testing

@testable import MiniORM

/// A file that an earlier version of MiniORM has written.
struct CorpusFile: Sendable, CustomTestStringConvertible {
  /// The folder of the version, for example `0.1.0`.
  let version: String
  let name: String
  /// The rows as the version read them.
  let rows: [String]

  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Corpus")

  var path: String { Self.folder.path + "/\(version)/\(name).db" }
  var testDescription: String { "\(version)/\(name)" }

  static var versions: [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (names ?? []).filter { $0.first?.isNumber ?? false }.sorted()
  }

  static let all = versions.flatMap { version -> [CorpusFile] in
    let rows = folder.appendingPathComponent("\(version)/rows.json")
    guard let data = try? Data(contentsOf: rows),
      let files = try? JSONDecoder().decode([String: [String]].self, from: data)
    else { return [] }
    return files.sorted { $0.key < $1.key }.map {
      CorpusFile(version: version, name: $0.key, rows: $0.value)
    }
  }
}

@Suite("Files of all versions")
struct CorpusTests {
  /// The folder for new files; nil except in `scripts/maintainer/make-corpus`.
  private static let newFolder = ProcessInfo.processInfo.environment["MINIORM_CORPUS"]

  @Test("the files of a version are written", .enabled(if: newFolder != nil))
  func make() async throws {
    let folder = try #require(Self.newFolder)
    var rows: [String: [String]] = [:]
    for shape in CorpusShape.all {
      let path = "\(folder)/\(shape.name).db"
      try await shape.write(to: path)
      let database = try await Database(
        path: path, key: shape.key, configuration: shape.configuration)
      rows[shape.name] = try await shape.rows(database)
      try await database.close()
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    try encoder.encode(rows).write(to: URL(fileURLWithPath: "\(folder)/rows.json"))
  }

  @Test("the corpus has a file of each shape, and each version has at least 40 files")
  func shapes() throws {
    #expect(CorpusFile.versions.contains("0.1.0"))
    for version in CorpusFile.versions {
      let names = CorpusFile.all.filter { $0.version == version }.map(\.name)
      #expect(names.count >= 40)
      let files = try FileManager.default.contentsOfDirectory(
        atPath: CorpusFile.folder.path + "/" + version)
      #expect(Set(files.filter { $0.hasSuffix(".db") }) == Set(names.map { $0 + ".db" }))
    }
    // A new shape needs files of the next version, and no shape may disappear.
    let known = Set(CorpusShape.all.map(\.name))
    #expect(CorpusFile.all.map(\.name).filter { !known.contains($0) } == [])
  }

  #if os(Linux)
    @Test("no file of a version changes", arguments: CorpusFile.versions)
    func hashes(version: String) throws {
      let folder = CorpusFile.folder.appendingPathComponent(version)
      let ended = try ChildProcess.runAndWait(
        "sha256sum", ["--check", "--quiet", "--strict", "SHA256SUMS"], in: folder)
      #expect(ended.status == 0, "\(ended.output)")
      let listed = try String(
        contentsOf: folder.appendingPathComponent("SHA256SUMS"), encoding: .utf8
      )
      .split(separator: "\n").count
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.path).count == listed + 1)
    }
  #endif

  @Test(
    "a file opens, and its rows are read, migrated and reported", .timeLimit(.minutes(5)),
    arguments: CorpusFile.all)
  func file(file: CorpusFile) async throws {
    let shape = try #require(CorpusShape.all.first { $0.name == file.name })
    let schema = try #require(shape.schemas.last)
    try await withTemporaryPath { path in
      try FileManager.default.copyItem(atPath: file.path, toPath: path)
      let database = try await Database(
        path: path, key: shape.key, configuration: shape.configuration)
      #expect(try await shape.rows(database) == file.rows)
      #expect(try await database.schemaReport(for: schema).isEmpty)
      #expect(try await database.integrityReport().isEmpty)

      // An older program.
      let old = DatabaseSchema(version: schema.version - 1, schema.models, objects: schema.objects)
      let refusal = try await failure { try await database.migrate(old) }
      #expect(
        refusal.message
          == "The file has version \(schema.version), which is newer than this program's \(old.version): update the program"
      )

      try await database.migrate(schema)
      #expect(try await shape.rows(database) == file.rows)
      let hasRecords = try await database.values("SELECT count(*) FROM miniorm_columns")
      #expect(hasRecords != [.integer(0)])
      if let next = shape.next {
        try await database.migrate(next)
        let rows = try await (shape.nextRows ?? shape.rows)(database)
        #expect(rows == file.rows)
        #expect(try await database.schemaReport(for: next).isEmpty)
      }
      try await database.close()
    }
  }
}
