import Testing

@testable import MiniORMMacros

@Suite("Naming")
struct NamingTests {
  @Test(
    "columns: .snakeCase joins the words of a name",
    arguments: [
      ("employeeCount", "employee_count"), ("cityID", "city_id"), ("URLString", "url_string"),
      ("html5Parser", "html5_parser"), ("aB", "a_b"), ("ABTest", "ab_test"), ("id", "id"),
      ("already_snake", "already_snake"), ("x1Y2", "x1_y2"), ("ID", "id"), ("_hidden", "_hidden"),
      ("http2ServerURL", "http2_server_url"), ("élanVital", "élan_vital"), ("a_B", "a_b"),
    ])
  func snakeCase(property: String, column: String) {
    #expect(Naming.snakeCase.column(property) == column)
    #expect(Naming.asWritten.column(property) == property)
  }
}
