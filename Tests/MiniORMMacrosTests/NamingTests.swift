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
    #expect(Naming.snakeCase.formerColumn(property) == nil)
  }

  @Test(
    "adjacent acronyms form a single word, and the schema keeps the names of earlier versions",
    arguments: [
      ("cityIDs", "city_ids", "city_i_ds"), ("IDs", "ids", "i_ds"),
      ("URLsByName", "urls_by_name", "ur_ls_by_name"), ("userIDs2", "user_ids2", "user_i_ds2"),
      ("allDBsAndPDFs", "all_dbs_and_pdfs", "all_d_bs_and_pd_fs"),
    ])
  func plurals(property: String, column: String, former: String) {
    #expect(Naming.snakeCase.column(property) == column)
    #expect(Naming.snakeCase.formerColumn(property) == former)
    #expect(Naming.asWritten.formerColumn(property) == nil)
  }

  @Test(
    "an s at the start of a word or after a single capital is not a plural",
    arguments: [
      ("IDset", "i_dset"), ("asIs", "as_is"), ("planBs", "plan_bs"), ("DNSsec", "dn_ssec"),
    ])
  func noPlural(property: String, column: String) {
    #expect(Naming.snakeCase.column(property) == column)
    #expect(Naming.snakeCase.formerColumn(property) == nil)
  }
}
