/// The table names of the queries whose closures are being called on this thread.
///
/// An inner query may refer to columns of the enclosing query. If both have a table of the same
/// name, SQLite would resolve such a column to the inner query, so the inner table gets an alias.
@usableFromInline
enum EnclosingQueries {
  private static var innermost: Tables? {
    ThreadSlot.pointer.map { CallbackContext<Tables>.object($0) }
  }

  @usableFromInline
  final class Tables: Sendable {
    fileprivate let names: [ExactText]
    fileprivate let outer: Tables?

    init(_ tables: [String]) { (names, outer) = (tables.map(\.folded), nil) }

    fileprivate init(_ tables: Tables, in outer: Tables) {
      (names, self.outer) = (tables.names, outer)
    }
  }

  @usableFromInline static var isEmpty: Bool { ThreadSlot.pointer == nil }

  private static var names: [ExactText] {
    var names: [ExactText] = []
    var tables = innermost
    while let found = tables {
      names += found.names
      tables = found.outer
    }
    return names
  }

  static func calling<Result>(with tables: [String], _ body: () -> Result) -> Result {
    calling(with: Tables(tables), body)
  }

  @inlinable
  static func calling<Result>(with tables: Tables, _ body: () -> Result) -> Result {
    let outer = enter(tables)
    defer { leave(to: outer) }
    return body()
  }

  @usableFromInline
  struct Outer {
    fileprivate let pointer: UnsafeMutableRawPointer?
    /// Retains the tables, which the thread slot does not retain.
    fileprivate let entered: Tables
  }

  @usableFromInline
  static func enter(_ tables: Tables) -> Outer {
    let outer = innermost
    let entered = outer.map { Tables(tables, in: $0) } ?? tables
    let pointer = ThreadSlot.pointer
    // The returned value retains the tables until leave(to:).
    ThreadSlot.pointer = CallbackContext.borrowed(entered)
    return Outer(pointer: pointer, entered: entered)
  }

  @usableFromInline
  static func leave(to outer: Outer) {
    ThreadSlot.pointer = outer.pointer
    withExtendedLifetime(outer.entered) {}
  }

  static func renames(for tables: [String], besides others: () -> [String]) -> Renames? {
    guard innermost != nil else { return nil }
    let taken = names
    guard tables.contains(where: { taken.contains($0.folded) }) else { return nil }
    var used = Set(taken + (tables + others()).map(\.folded))
    var renames = Renames()
    for table in tables where taken.contains(table.folded) {
      var number = 2
      while used.contains("\(table)_\(number)".folded) { number += 1 }
      let name = "\(table)_\(number)"
      used.insert(name.folded)
      renames.names[table.folded] = name
    }
    return renames
  }
}

struct Renames: Sendable {
  fileprivate(set) var names: [ExactText: String] = [:]

  init() {}

  init(_ table: String, to name: String) { names = [table.folded: name] }

  subscript(table: String) -> String { names[table.folded] ?? table }
}

extension SQL {
  /// Renames tables, except in inner queries with their own tables of the same names.
  func renaming(_ renames: Renames) -> SQL {
    var open: [[ExactText]] = []
    func renamed(_ table: String) -> String {
      let name = table.folded
      return open.contains(where: { $0.contains(name) }) ? table : renames[table]
    }
    return SQL(
      segments: segments.map { segment in
        switch segment {
        case .note(.open(let names)): open.append(names.map(\.folded))
        case .note(.close): open.removeLast()
        case .name(.column(let column)):
          return .name(.column(ColumnName(column.name, of: renamed(column.table))))
        case .name(.table(let source, let name, let alias)) where open.isEmpty:
          return .name(.table(source: source, name: name, alias: renames[alias]))
        case .name(.alias(let name)) where open.isEmpty: return .name(.alias(renames[name]))
        case .text, .parameter, .name, .operation, .and, .note: break
        }
        return segment
      })
  }

  var namesWithin: [String] {
    var names: [String] = []
    for case .note(.open(let open)) in segments { names += open }
    return names
  }
}
