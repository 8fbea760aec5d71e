#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// How texts are compared: a collation of SQLite's, or one written in Swift.
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

  /// The name as written in SQL.
  let name: String
  /// The name itself and how it compares, or nil for a built-in collation.
  let definition: (name: String, compare: Comparator)?

  private init(builtIn name: String) {
    self.name = name
    definition = nil
  }

  /// Creates a collation written in Swift. List it in ``Configuration/collations``. A file that
  /// uses it in a column or an index can then be written only by programs that have it.
  ///
  /// - Parameters:
  ///   - name: Its name in SQL, which is not case-sensitive.
  ///   - compare: A closure that compares two texts. It must always give the same result, because a
  ///     file keeps its indexes in that order. If it has changed,
  ///     [REINDEX](https://www.sqlite.org/lang_reindex.html) sorts them again. Any of the
  ///     database's connections may call it, even at the same time as another.
  public init(
    _ name: String, _ compare: @escaping @Sendable (String, String) -> ComparisonResult
  ) {
    self.name = name.quotedIdentifier
    definition = (name, compare)
  }

  /// Compares byte by byte: the default.
  public static let binary = Collation(builtIn: "BINARY")
  /// Compares as `binary` does, ignoring the case of the 26 letters of ASCII.
  public static let nocase = Collation(builtIn: "NOCASE")
  /// Compares as `binary` does, ignoring trailing spaces.
  public static let rtrim = Collation(builtIn: "RTRIM")
}

extension Collation: Hashable {
  /// Returns whether two collations have the same name.
  public static func == (left: Collation, right: Collation) -> Bool {
    left.name.folded == right.name.folded
  }

  /// Hashes the name.
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(name.folded) }
}
