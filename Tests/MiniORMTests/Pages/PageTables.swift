/// The tables on a page that list Swift expressions and the corresponding SQL.
///
/// A comment above such a table names the table whose columns the expressions use:
/// `<!-- expressions of companies -->`. A cell that begins with an expression, such as
/// `` `$0.name.lower()` ``, is compared with the cell in the "SQL" column, if that begins with SQL.
/// The expression's SQL must contain the cell's text.
struct PageTables {
  let page: String
  private(set) var problems: [String] = []
  /// The table named in the last comment.
  private var source: Substring?
  /// The index of the SQL column in the current table.
  private var sqlColumn: Int?
  private var isInTable = false

  init(page: String) {
    self.page = page
  }

  /// Processes a line outside code blocks.
  /// - Returns: The program lines that report an expression, and the documented SQL.
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
      // GrammarTests compare tables of productions.
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
