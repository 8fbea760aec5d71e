package struct VirtualTable {
  private let name: String
  package let module: ExactText?

  package init(_ name: String, sql: String) {
    let tokens = SQLToken.all(in: sql)
    self.name = name
    module = tokens.firstIndex { $0.isKeyword("using") }.flatMap { index in
      tokens.indices.contains(index + 1) ? tokens[index + 1].text : nil
    }
  }

  private static let shadowTables: [ExactText: [String]] = [
    "fts3": ["content", "segments", "segdir"],
    "fts4": ["content", "segments", "segdir", "docsize", "stat"],
    "fts5": ["data", "idx", "content", "docsize", "config"],
    "rtree": ["node", "parent", "rowid"], "rtree_i32": ["node", "parent", "rowid"],
    "geopoly": ["node", "parent", "rowid"],
  ]

  package var shadowTables: [String] {
    (module.flatMap { Self.shadowTables[$0] } ?? []).map { "\(name)_\($0)" }
  }

  func isNamed(in sql: String) -> Bool {
    SQLToken.all(in: sql).contains { $0.isName && $0.text == name.folded }
  }
}
