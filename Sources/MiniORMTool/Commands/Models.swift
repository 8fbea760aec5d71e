import ArgumentParser
import Foundation
import MiniORM

struct Models: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes the Swift models of a file.",
    discussion: """
      Each table becomes a struct with @Table, each view one with @Selection. The types of properties are \
      those that read every row of the file, so all of it is read once. What a model cannot say is a \
      comment beside it, and a line of the standard error.
      """)

  @OptionGroup var file: FileOptions

  @Option(help: "Puts the models into an enumeration of this name.")
  var namespace: String?

  @Option(help: "Writes them to this file, in place of the standard output.", completion: .file())
  var output: String?

  func validate() throws {
    guard let namespace else { return }
    guard SwiftName.type(namespace) == namespace else {
      throw ValidationError("The name of an enumeration is a word such as Music.")
    }
  }

  func run() async throws {
    let contents = try await file.reading { database in
      try await database.read { db in try FileContents.read(db) }
    }
    let name = (file.path as NSString).lastPathComponent
    let writer = ModelWriter(contents, file: name, namespace: namespace)
    if let output {
      do {
        try Data(writer.source.utf8).write(to: URL(fileURLWithPath: output), options: .atomic)
      } catch {
        throw Failure(.failed, "\(output) cannot be written: \(error.localizedDescription)")
      }
    } else {
      Terminal.write(writer.source, to: STDOUT_FILENO)
    }
    for note in writer.notes { Terminal.complain("miniorm: \(note.inOneLine)") }
  }
}
