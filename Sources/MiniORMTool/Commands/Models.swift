import ArgumentParser
import Foundation
import MiniORM

struct Models: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes the Swift models of a file.",
    discussion: """
      Each table becomes a struct with @Table, each view a struct with @Selection. The types of the properties \
      can read every row of the file, so the command reads the whole file once. What a model cannot express \
      becomes a comment in the output and a line on the standard error.
      """)

  @OptionGroup var file: InspectedFile

  @Option(help: "Puts the models into an enumeration of this name.")
  var namespace: String?

  @Option(
    help: "Writes the models to this file instead of the standard output.", completion: .file())
  var output: String?

  @Option(
    help:
      "Seconds for reading all views and virtual tables. Objects not read in this time are left out."
  )
  var viewSeconds = 5

  @Flag(help: "Lets --output overwrite a Swift file that this command did not generate.")
  var force = false

  func validate() throws {
    guard viewSeconds >= 0 else { throw ValidationError("--view-seconds must not be negative.") }
    guard let namespace else { return }
    guard SwiftName.type(namespace) == namespace else {
      throw ValidationError(
        "--namespace takes a type's name without underscores that Swift, Foundation, SwiftUI and MiniORM do not use, "
          + "such as \(SwiftName.type(namespace)).")
    }
  }

  func run() async throws {
    if let output { try OutputFile.check(output, beside: file.path) }
    let key = try file.readKey()
    let contents = try await file.inspecting(key, standsIn: true) {
      try await FileContents.read($0, limit: .seconds(viewSeconds))
    }
    let name = (file.path as NSString).lastPathComponent
    let writer = ModelWriter(contents, file: name, namespace: namespace)
    if let output {
      try OutputFile.write(swift: writer.source, to: output, replacesSwift: force)
    } else {
      try Terminal.output(writer.source)
    }
    for note in writer.notes { Terminal.complain(note.inOneLine) }
  }
}
