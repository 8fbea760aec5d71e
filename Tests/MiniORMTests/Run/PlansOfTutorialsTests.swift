import Foundation
import Testing

@testable import MiniORM

@Table("category")
private struct ExpenseCategory: Identifiable {
  let id: Int64
  @Column(.unique, .collate(.nocase)) var name: String
  @Column(as: .decimal(scale: 2)) var budget: Decimal?
}

@Table("expense")
private struct JournalExpense: Identifiable {
  let id: Int64
  var date: Date
  @Column(.check("amount > 0"), as: .decimal(scale: 2)) var amount: Decimal
  var note = ""
  @Column(.references(ExpenseCategory.self)) var categoryID: ExpenseCategory.ID

  static var indexes: [Index<JournalExpense>] { [Index { $0.date }, Index { $0.categoryID }] }

  static let text = FullTextIndex<JournalExpense>("expense_text", prefixes: [2, 3]) { $0.note }
}

@Table("attachment")
private struct ExpenseAttachment: Identifiable {
  let id: Int64
  var name: String
  var content: Data
  @Column(.references(JournalExpense.self, onDelete: .cascade)) var expenseID: JournalExpense.ID

  static var indexes: [Index<ExpenseAttachment>] { [Index { $0.expenseID }] }
}

@Selection
private struct CategorySum: Sendable {
  let category: String
  @Column(as: .decimal(scale: 2)) let amount: Decimal?
}

private let expenses = Table<JournalExpense>()
private let (categories, attachments) = (Table<ExpenseCategory>(), Table<ExpenseAttachment>())

/// The operations of the tutorials' journal, beside the SQL that an expert would write.
@Suite("Plans of the tutorials' operations")
struct PlansOfTutorialsTests {
  private static let (first, last) = (
    Date(timeIntervalSince1970: 1_000_000), Date(timeIntervalSince1970: 2_000_000)
  )

  private static let operations: [PlannedOperation] = {
    // An array literal of these closures takes the compiler too long.
    var all: [PlannedOperation] = []
    func add(_ description: String, _ typed: @escaping @Sendable () -> SQL, _ expert: SQL) {
      all.append(PlannedOperation(description, typed, expert))
    }
    add(
      "a category by its name", { categories.where { $0.name == "Leisure" }.sql },
      "SELECT * FROM category WHERE name = 'Leisure'")
    add(
      "the categories, largest budget first",
      { categories.order { ($0.budget.descending, $0.name) }.sql },
      "SELECT * FROM category ORDER BY budget DESC, name")
    add(
      "the newest expenses with their categories",
      {
        expenses.join(categories).order { expense, _ in expense.date.descending }.limit(5)
          .select { ($0.date, $0.amount, $1.name) }.sql
      },
      """
      SELECT date, amount, name FROM expense JOIN category ON expense.categoryID = category.id
      ORDER BY date DESC LIMIT 5
      """)
    add(
      "the last expense", { expenses.order { $0.id.descending }.limit(1).sql },
      "SELECT * FROM expense ORDER BY id DESC LIMIT 1")
    add(
      "the expenses of a period",
      { expenses.where { $0.date.between(first, and: last) }.order { $0.date }.sql },
      "SELECT * FROM expense WHERE date BETWEEN '1970-01-12' AND '1970-01-24' ORDER BY date")
    add(
      "the sum of each category in a period",
      {
        expenses.where { $0.date.between(first, and: last) }.join(categories).group { $1.id }
          .select { CategorySum.Columns(category: $1.name, amount: $0.amount.sum()) }
          .alias("sums").order { $0.amount.descending }.sql
      },
      """
      SELECT * FROM (
        SELECT name AS category, sum(amount) AS amount FROM expense
        JOIN category ON expense.categoryID = category.id
        WHERE date BETWEEN '1970-01-12' AND '1970-01-24' GROUP BY category.id) AS sums
      ORDER BY amount DESC
      """)
    add(
      "a search by words, best match first",
      {
        expenses.matching(JournalExpense.text, "coffee").order { ($0.rank, $0.id) }.limit(5)
          .select { ($0.date, $0.highlight($0.note, "[", "]")) }.sql
      },
      """
      SELECT date, highlight(expense_text, 0, '[', ']') FROM expense
      JOIN expense_text ON expense_text.rowid = expense.id AND expense_text MATCH 'coffee'
      ORDER BY expense_text.rank, expense.id LIMIT 5
      """)
    add(
      "a search by words since a day",
      { expenses.where { $0.date >= first }.matching(JournalExpense.text, "coffee").sql },
      """
      SELECT expense.* FROM expense
      JOIN expense_text ON expense_text.rowid = expense.id AND expense_text MATCH 'coffee'
      WHERE date >= '1970-01-12'
      """)
    add(
      "the names and sizes of an expense's attachments",
      {
        attachments.where { $0.expenseID == 7 }
          .select { ($0.id, $0.name, $0.content.octetLength()) }.sql
      },
      "SELECT id, name, octet_length(content) FROM attachment WHERE expenseID = 7")
    add(
      "the sum of a category",
      {
        expenses.join(categories).where { $1.name == "Leisure" }
          .select { expense, _ in expense.amount.sum() }.sql
      },
      """
      SELECT sum(amount) FROM expense JOIN category ON expense.categoryID = category.id
      WHERE name = 'Leisure'
      """)
    add(
      "each category with the number of its expenses",
      {
        categories.leftJoin(expenses) { $0.id == $1.categoryID }.group { $0.0.id }
          .order { $0.0.name }.select { ($0.name, $1.id.count()) }.sql
      },
      """
      SELECT name, count(expense.id) FROM category
      LEFT JOIN expense ON category.id = expense.categoryID GROUP BY category.id ORDER BY name
      """)
    add(
      "move the expenses of several categories",
      { expenses.where { $0.categoryID.isIn([1, 2]) }.update { $0.categoryID = 3 }.sql },
      "UPDATE expense SET categoryID = 3 WHERE categoryID IN (1, 2)")
    add(
      "delete the expenses before a day", { expenses.where { $0.date < first }.delete().sql },
      "DELETE FROM expense WHERE date < '1970-01-12'")
    add(
      "the categories without expenses",
      { categories.where { row in !expenses.where { $0.categoryID == row.id }.exists() }.sql },
      """
      SELECT * FROM category
      WHERE NOT EXISTS (SELECT 1 FROM expense WHERE expense.categoryID = category.id)
      """)
    return all
  }()

  @Test("a typed statement has the plan of the SQL by hand", arguments: operations)
  func plan(_ operation: PlannedOperation) async throws {
    try await withTemporaryDatabase { database in
      try await database.migrate(
        DatabaseSchema(
          ExpenseCategory.self, JournalExpense.self, ExpenseAttachment.self,
          objects: [JournalExpense.text]))
      try await categories.insert(
        contentsOf: (1...20).map { ExpenseCategory(id: $0, name: "category \($0)", budget: nil) },
        in: database)
      try await expenses.insert(
        contentsOf: (1...1_000).map { (id: Int64) in
          JournalExpense(
            id: id, date: Date(timeIntervalSince1970: Double(id) * 86_400),
            amount: Decimal(id), note: id % 9 == 0 ? "coffee" : "tea \(id)", categoryID: id % 20 + 1
          )
        }, in: database)
      try await attachments.insert(
        contentsOf: (1...500).map {
          ExpenseAttachment(id: $0, name: "\($0)", content: Data([1]), expenseID: $0)
        }, in: database)
      try await database.optimize()
      try await operation.compare(in: database)
    }
  }
}
