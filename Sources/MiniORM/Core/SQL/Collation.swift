#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A text comparison: a built-in collation of SQLite, or a collation written in Swift.
///
/// ```swift
/// extension Collation {
///   static let numeric = Collation("numeric") { $0.compare($1, options: .numeric) }
/// }
/// configuration.collations = [.numeric]
/// ```
///
/// Collations with equal names are equal.
///
/// See [Collating Sequences](https://www.sqlite.org/datatype3.html#collating_sequences).
public struct Collation: Sendable {
  typealias Comparator = @Sendable (String, String) -> ComparisonResult

  /// The quoted name.
  let name: String
  /// The unquoted name and the comparator; nil for a name without a definition.
  let definition: (name: String, compare: Comparator)?

  static let builtInNames: Set<ExactText> = ["binary", "nocase", "rtrim"]

  /// Names a collation that ``Configuration/collations`` defines elsewhere.
  ///
  /// ```swift
  /// @Column(.collate(Collation("unicase"))) var name: String
  /// ```
  /// For example, `miniorm models` writes this for a collation that only the program that made the
  /// file defines. Until the configuration defines the collation, statements that need the order
  /// throw, so that no index gets an entry in a wrong order.
  ///
  /// - Parameter name: The name in SQL, which is not case-sensitive.
  public init(_ name: String) {
    self.name =
      Self.builtInNames.contains(name.folded) ? name.uppercasedASCII : name.quotedIdentifier
    definition = nil
  }

  /// Creates a collation, for ``Configuration/collations``. If a column or index uses the
  /// collation, only programs with the collation can write to the file.
  /// - Parameters:
  ///   - name: The name in SQL, which is not case-sensitive.
  ///   - compare: Compares two texts, also in several connections at the same time. The result must
  ///     never change, because indexes are stored in this order. After a change,
  ///     [REINDEX](https://www.sqlite.org/lang_reindex.html) sorts the indexes again.
  public init(
    _ name: String, _ compare: @escaping @Sendable (String, String) -> ComparisonResult
  ) {
    self.name = name.quotedIdentifier
    definition = (name, compare)
  }

  /// Compares byte by byte: the default.
  public static let binary = Collation("BINARY")
  /// Compares like `binary`, ignoring the case of the 26 ASCII letters.
  public static let nocase = Collation("NOCASE")
  /// Compares like `binary`, ignoring trailing spaces.
  public static let rtrim = Collation("RTRIM")
}

extension Collation: Hashable {
  /// Returns whether two collations have the same name.
  @_documentation(visibility: internal)
  public static func == (left: Collation, right: Collation) -> Bool {
    left.name.folded == right.name.folded
  }

  /// Hashes the name.
  @_documentation(visibility: internal)
  public func hash(into hasher: inout Hasher) { hasher.combine(name.folded) }
}

extension Collation {
  /// Compares texts as decimal numbers: 9 is less than 10, and 1.5 equals 1.50. Other texts sort
  /// after all numbers, in byte order. Every connection has this collation.
  static let decimalText = Collation("miniorm_decimal") { left, right in
    switch (DecimalText(left.utf8), DecimalText(right.utf8)) {
    case (let left?, let right?): left == right ? .orderedSame : order(left < right)
    case (_?, nil): .orderedAscending
    case (nil, _?): .orderedDescending
    case (nil, nil):
      left.utf8.elementsEqual(right.utf8)
        ? .orderedSame : order(left.utf8.lexicographicallyPrecedes(right.utf8))
    }
  }

  private static func order(_ isLess: Bool) -> ComparisonResult {
    isLess ? .orderedAscending : .orderedDescending
  }
}
