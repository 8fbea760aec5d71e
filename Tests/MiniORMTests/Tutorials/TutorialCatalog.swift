import Foundation

/// The tutorials and their code files.
struct TutorialCatalog: Sendable {
  let pages: [Tutorial]
  /// The text of each file, keyed by name without a folder, as in DocC.
  let resources: [String: String]
  /// The paths of the files, relative to the catalog.
  let paths: [String]

  /// - Parameter files: The text of each file, keyed by path in the catalog.
  init(files: [String: String]) {
    paths = files.keys.sorted()
    var resources: [String: String] = [:]
    var pages: [Tutorial] = []
    for path in paths {
      let name = String(path.split(separator: "/").last ?? "")
      if name.hasSuffix(".tutorial") {
        pages.append(Tutorial(String(name.dropLast(9)), page: files[path] ?? ""))
      } else if !name.hasSuffix(".md") {
        resources[name] = files[path]
      }
    }
    self.pages = pages
    self.resources = resources
  }

  /// Reads a catalog. Binary files, such as pictures, count as empty.
  init(folder: URL) throws {
    var files: [String: String] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      let url = folder.appendingPathComponent(path)
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
      if isFolder.boolValue { continue }
      files[path] = String(bytes: try Data(contentsOf: url), encoding: .utf8) ?? ""
    }
    self.init(files: files)
  }

  /// The tutorials in reading order, grouped by program.
  var courses: [[Tutorial]] {
    pages.flatMap(\.courses).map { names in
      names.compactMap { name in pages.first { $0.name == name } }
    }
  }

  /// The tutorials in reading order.
  var tutorials: [Tutorial] { courses.flatMap(\.self) }

  /// Violations of the rules for tutorials.
  var problems: [String] {
    var problems = pages.flatMap(\.problems)
    let listed = pages.flatMap(\.references)
    for page in pages where page.references.isEmpty && !listed.contains(page.name) {
      problems.append("\(page.name).tutorial: no table of contents lists it")
    }
    for name in listed where !pages.contains(where: { $0.name == name }) {
      problems.append("\(name).tutorial: a table of contents lists it, and it does not exist")
    }
    for tutorial in tutorials where tutorial.questions == 0 {
      problems.append("\(tutorial.name).tutorial: it asks nothing at its end")
    }
    problems += duplicates + unused + sizes
    for course in courses {
      var shown: [String: Tutorial.Code] = [:]
      for step in course.flatMap(\.steps) {
        problems += self.problems(of: step, after: shown[step.code?.name ?? ""])
        if let code = step.code { shown[code.name] = code }
      }
    }
    return problems
  }

  private var duplicates: [String] {
    // Case-insensitive, as some file systems are.
    let groups = Dictionary(grouping: paths) { path in
      path.split(separator: "/").last?.lowercased() ?? ""
    }
    return groups.values.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }.map { paths in
      "\(paths.joined(separator: " and ")): DocC finds files by name alone, and shows only one"
    }
  }

  private var unused: [String] {
    let used = Set(pages.flatMap(\.files))
    return paths.filter { $0.hasPrefix("Tutorials/Resources/") }
      .filter { path in
        // DocC finds the ~dark variant of a picture automatically.
        let name = (path.split(separator: "/").last ?? "").replacing("~dark.", with: ".")
        return !used.contains(String(name))
      }
      .map { "\($0): no step shows it" }
  }

  private var sizes: [String] {
    var problems: [String] = []
    for file in Set(tutorials.flatMap(\.steps).compactMap(\.code?.file)).sorted() {
      let lines = lines(of: file)
      if lines.count > 75 { problems.append("\(file): \(lines.count) lines, and 75 are allowed") }
      for (index, line) in lines.enumerated() where line.count > 65 {
        problems.append("\(file):\(index + 1): \(line.count) columns, and 65 are allowed")
      }
    }
    return problems
  }

  private func problems(of step: Tutorial.Step, after last: Tutorial.Code?) -> [String] {
    var problems: [String] = []
    func report(_ problem: String) { problems.append("\(step.place): \(problem)") }

    let words = step.text.split(separator: " ").count
    if !(25...60).contains(words) { report("a step of \(words) words, and 25 to 60 are allowed") }
    guard let code = step.code else { return problems }
    guard let text = resources[code.file] else {
      report("\(code.file) does not exist")
      return problems
    }
    if code.isTranscript {
      if !text.hasPrefix("$ ") { report("\(code.file) does not begin with a command") }
      if !code.showsNoChanges { report("a transcript needs reset: true, or DocC shows changes") }
      return problems
    }
    if code.previousFile != last?.file {
      report(
        "previousFile is \(code.previousFile ?? "missing"), and \(last?.file ?? "nothing") came "
          + "before")
    }
    let changes = lines(of: code.file).difference(from: last.map { lines(of: $0.file) } ?? [])
    let count = max(changes.insertions.count, changes.removals.count)
    if count > 12 { report("\(code.file) changes \(count) lines, and 12 are allowed") }
    if count == 0 { report("\(code.file) changes nothing") }
    return problems
  }

  private func lines(of file: String) -> [Substring] {
    var lines = (resources[file] ?? "").split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last == "" { lines.removeLast() }
    return lines
  }
}
