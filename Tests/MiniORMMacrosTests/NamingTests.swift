import Testing

@testable import MiniORMMacros

@Suite("Naming")
struct NamingTests {
  @Test(
    ".snakeCase joins the words of a name with underscores",
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

  @Test(
    "adjacent acronyms form a single word",
    arguments: [
      ("cityIDs", "city_ids"), ("IDs", "ids"), ("URLsByName", "urls_by_name"),
      ("userIDs2", "user_ids2"), ("allDBsAndPDFs", "all_dbs_and_pdfs"),
    ])
  func plurals(property: String, column: String) {
    #expect(Naming.snakeCase.column(property) == column)
  }

  @Test(
    "an s at the start of a word or after a single capital is not a plural",
    arguments: [
      ("IDset", "i_dset"), ("asIs", "as_is"), ("planBs", "plan_bs"), ("DNSsec", "dn_ssec"),
    ])
  func noPlural(property: String, column: String) {
    #expect(Naming.snakeCase.column(property) == column)
  }
}
