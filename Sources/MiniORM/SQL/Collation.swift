#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// How texts are compared: one of SQLite's own ways, or one written in Swift.
///
/// ```swift
/// extension Collation {
///   static let numeric = Collation("numeric") { $0.compare($1, options: .numeric) }
/// }
/// configuration.collations = [.numeric]
/// ```
///
/// See [Collating Sequences](https://www.sqlite.org/datatype3.html#collating_sequences).
public struct Collation: Sendable {
  typealias Comparator = @Sendable (String, String) -> ComparisonResult

  /// The name as SQL writes it.
  let name: String
  /// The name itself, and how it compares; nil for a collation of SQLite's own.
  let definition: (name: String, compare: Comparator)?

  private init(builtIn name: String) {
    self.name = name
    definition = nil
  }

  /// A collation written in Swift. List it in ``Configuration/collations``; a file that uses it in
  /// a column or an index can then be written only by programs that have it.
  ///
  /// - Parameters:
  ///   - name: Its name in SQL. Upper and lower case are the same.
  ///   - compare: How two texts compare: always the same way, for a file keeps its indexes in that
  ///     order. Where it has changed,
  ///     [REINDEX](https://www.sqlite.org/lang_reindex.html) puts them in order again. Any of the
  ///     database's connections may call it, at the same time as another.
  public init(
    _ name: String, _ compare: @escaping @Sendable (String, String) -> ComparisonResult
  ) {
    self.name = name.quotedIdentifier
    definition = (name, compare)
  }

  /// Byte by byte: the default.
  public static let binary = Collation(builtIn: "BINARY")
  /// As `binary`, with the 26 letters of ASCII folded.
  public static let nocase = Collation(builtIn: "NOCASE")
  /// As `binary`, with trailing spaces ignored.
  public static let rtrim = Collation(builtIn: "RTRIM")
}

extension Collation: Hashable {
  /// Whether two collations have one name.
  public static func == (left: Collation, right: Collation) -> Bool {
    left.name.folded == right.name.folded
  }

  /// Hashes the name.
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(name.folded) }
}
