import MiniORM

/// A file's views, triggers and virtual tables, as objects of the schema.
struct ModelObjects {
  private(set) var notes: [(object: FileContents.Object, text: String)] = []
  /// The lines of the declarations.
  private(set) var declarations: [String] = []

  /// - Parameters:
  ///   - listed: The tables in the schema.
  ///   - virtual: The virtual tables with models.
  init(_ contents: FileContents, listed: Set<ExactText>, _ virtual: [VirtualTableModel]) {
    let models = Dictionary(
      virtual.map { ($0.name.folded, $0) }, uniquingKeysWith: { first, _ in first })
    let ownTriggers = virtual.reduce(into: Set()) { $0.formUnion($1.own?.triggers ?? []) }
    let triggers = contents.objects.filter { $0.kind == .trigger }
    var missing: Set<ExactText> = []
    var candidates: [(object: FileContents.Object, uses: Set<ExactText>)] = []
    for object in contents.objects.filter({ $0.kind != .trigger }) + triggers {
      let name = object.name.folded
      switch object.kind {
      case .index: continue
      case .table where listed.contains(name): continue
      case .trigger where ownTriggers.contains(name): continue
      case .view where object.problem == nil, .virtualTable where models[name] != nil, .trigger:
        candidates.append((object, object.uses))
      default: missing.insert(name)
      }
      if models[name]?.owner != nil, !triggers.contains(where: { $0.uses.contains(name) }) {
        let advice = "insert into it, or rebuild it, after each change"
        notes.append((object, "no trigger of the file updates this index: \(advice)"))
      }
    }
    // A new file would lack an object outside of the schema.
    while let index = candidates.firstIndex(where: { !missing.isDisjoint(with: $0.uses) }) {
      let (object, uses) = candidates.remove(at: index)
      let used = uses.intersection(missing).sorted().map(\.string).joined(separator: ", ")
      let advice = object.isDeclared ? ": migrate drops it, unless your program lists it" : ""
      let reason = "its SQL names \(used), which is not in the schema"
      notes.append((object, "not in the schema, because \(reason)\(advice)"))
      if object.kind != .trigger { missing.insert(object.name.folded) }
    }
    declarations = candidates.flatMap { object, _ in
      let own = object.kind == .virtualTable ? models[object.name.folded]?.own : nil
      return own.map { ["\($0.declaration),"] } ?? object.declaration
    }
  }
}

extension FileContents.Object {
  /// The names in the SQL, other than the object's own.
  fileprivate var uses: Set<ExactText> {
    Set(SQLToken.all(in: sql).lazy.filter(\.isName).map(\.written.folded))
      .subtracting([name.folded])
  }

  fileprivate var declaration: [String] {
    let lines = sql.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard lines.count > 1 else { return ["SQLObject(\(SwiftName.literal(sql))),"] }
    let texts = lines.map(SwiftName.escaped)
    return ["SQLObject(", "  \"\"\""] + texts.map { $0.isEmpty ? "" : "  \($0)" } + ["  \"\"\"),"]
  }
}
