/// The tables of a page that have expressions of Swift beside their SQL.
///
/// A comment above such a table names the table whose columns the expressions use:
/// `<!-- expressions of companies -->`. A cell that begins with an expression, such as `` `$0.name.lower()` ``,
/// is compared with the cell below the heading "SQL", where that begins with SQL: it has to be a part of
/// the expression's SQL.
struct PageTables {
  let page: String
  private(set) var problems: [String] = []
  /// What the last comment named.
  private var source: Substring?
  /// Where the SQL of the present table stands.
  private var sqlColumn: Int?
  private var isInTable = false

  init(page: String) {
    self.page = page
  }

  /// Takes the next line of a page outside of its blocks.
  /// - Returns: The lines that make the program tell of an expression, and what its SQL is said to be.
  mutating func row(
    _ line: Substring, at number: Int
  ) -> (program: [Substring], block: Page.Shown)? {
    guard line.hasPrefix("|") else {
      if isInTable { source = nil }
      isInTable = false
      if let match = line.wholeMatch(of: /<!-- expressions of (\w+) -->/) { source = match.1 }
      return nil
    }
    let cells = line.dropFirst().replacing("\\|", with: "\u{1}").split(separator: "|")
      .map { $0.replacing("\u{1}", with: "|").drop { $0 == " " } }
    guard isInTable else {
      isInTable = true
      // GrammarTests compare the productions.
      let isGrammar = cells.first?.hasPrefix("Production ") == true
      sqlColumn = isGrammar ? nil : cells.firstIndex { $0.hasPrefix("SQL ") }
      return nil
    }
    guard let sqlColumn, sqlColumn < cells.count,
      let sql = cells[sqlColumn].prefixMatch(of: /`([^`]+)`/)?.1,
      let code = cells.lazy.compactMap({ $0.prefixMatch(of: /`(\$0\.[^`]+)`/)?.1 }).first
    else { return nil }
    guard let source else {
      problems.append(
        "\(page):\(number): a comment has to say of which table these are expressions")
      return nil
    }
    return (
      ["pageBlock(\(number))", "pageQuery(\(source).select { \(code) })"],
      Page.Shown(
        line: number, swiftLine: number, statements: ["…\(Page.normalized(sql))…"])
    )
  }
}
