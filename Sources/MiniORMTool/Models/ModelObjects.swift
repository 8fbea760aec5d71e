import MiniORM

/// A file's views, triggers and virtual tables, as objects of the schema.
struct ModelObjects {
  private(set) var declarations: [[String]] = []
  private(set) var notes: [(kind: String, name: String, text: String)] = []

  fileprivate struct Candidate {
    let kind: String
    let name: String
    let sql: String
    let isDeclared: Bool
    /// The declaration with a MiniORM type; nil for SQL.
    var declaration: String?
  }

  init(_ contents: FileContents, tables: [TableModel], virtual: [VirtualTableModel]) {
    let listed = Set(tables.filter(\.isListed).map(\.name.folded))
    let models = Dictionary(
      virtual.map { ($0.name.folded, $0) }, uniquingKeysWith: { first, _ in first })
    var missing: Set<ExactText> = []
    var candidates: [Candidate] = []
    for object in contents.objects {
      let name = object.name.folded
      switch object.kind {
      case .table:
        if !listed.contains(name) { missing.insert(name) }
      case .view:
        // A note about the view gives the reason.
        if object.problem != nil { missing.insert(name) } else { candidates.append(.init(object)) }
      case .virtualTable:
        guard let model = models[name] else {
          missing.insert(name)
          continue
        }
        var candidate = Candidate(object)
        if model.isListed, let index = model.index {
          let property = index.dropFirst("static let ".count).prefix { $0 != " " }
          candidate.declaration = "\(model.owner ?? model.typeName).\(property)"
        } else if model.isIndexOnly,
          !contents.triggers.contains(where: { Self.uses($0.sql).contains(name) })
        {
          notes.append(
            (
              "virtual table", object.name,
              "no trigger of the file updates this index: insert into it, or rebuild it, after "
                + "each change"
            ))
        }
        candidates.append(candidate)
      }
    }
    let own = models.values.filter { $0.isListed && $0.object.isDeclared }.map(\.name.folded.string)
    for trigger in contents.triggers {
      // A FullTextIndex or a SpatialIndex declares its own triggers.
      let isOwn = trigger.isDeclared && own.contains { trigger.name.folded.string.hasPrefix($0) }
      guard !isOwn else { continue }
      candidates.append(
        Candidate(
          kind: "trigger", name: trigger.name, sql: trigger.sql, isDeclared: trigger.isDeclared))
    }
    leaveOut(&candidates, using: &missing)
    declarations = candidates.map { candidate in
      candidate.declaration.map { [$0] } ?? Self.declaration(candidate.sql)
    }
  }

  /// Leaves out objects that use an object outside of the schema: a new file would lack it.
  private mutating func leaveOut(
    _ candidates: inout [Candidate], using missing: inout Set<ExactText>
  ) {
    while let index = candidates.firstIndex(where: { candidate in
      !missing.isDisjoint(with: Self.uses(candidate.sql).subtracting([candidate.name.folded]))
    }) {
      let candidate = candidates.remove(at: index)
      let used = Self.uses(candidate.sql).intersection(missing).sorted().map(\.string)
      notes.append(
        (
          candidate.kind, candidate.name,
          "not in the schema, because its SQL names \(used.joined(separator: ", ")), which is not in "
            + "the schema"
            + (candidate.isDeclared ? ": migrate drops it, unless your program lists it" : "")
        ))
      if candidate.kind != "trigger" { missing.insert(candidate.name.folded) }
    }
  }

  private static func uses(_ sql: String) -> Set<ExactText> {
    Set(
      SQLToken.all(in: sql).lazy.filter(\.isName).map { token in
        // SQLite accepts a name in single quotes, such as content='note'.
        token.kind == .string
          ? token.text.string.unquoted(by: UInt8(ascii: "'")).folded : token.text
      })
  }

  private static func declaration(_ sql: String) -> [String] {
    let lines = sql.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard lines.count > 1 else { return ["SQLObject(\(SwiftName.literal(sql)))"] }
    return ["SQLObject(", "  \"\"\""]
      + lines.map { line in
        let text = SwiftName.literal(line).dropFirst().dropLast()
        return text.isEmpty ? "" : "  \(text)"
      } + ["  \"\"\")"]
  }
}

extension ModelObjects.Candidate {
  init(_ object: FileContents.Object) {
    kind = object.kind == .view ? "view" : "virtual table"
    (name, sql, isDeclared) = (object.name, object.sql, object.isDeclared)
  }
}
