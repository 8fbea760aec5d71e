#if os(Linux)
  import MiniORM
  import TestSupport
  import Testing

  @Suite("Query output of the tool")
  struct QueryOutputTests {
    @Test(
      "rows are written as a table, lines, CSV or JSON",
      arguments: [
        (
          "table",
          """
          id  title               price  cover
          --  ------------------  -----  -------
           1  For "Those", about    9.5  x'00ff'
           2  two\\nlines           NULL  NULL

          """
        ),
        (
          "line",
          """
             id = 1
          title = For "Those", about
          price = 9.5
          cover = x'00ff'

             id = 2
          title = two\\nlines
          price = NULL
          cover = NULL

          """
        ),
        (
          "csv",
          "id,title,price,cover\r\n1,\"For \"\"Those\"\", about\",9.5,00ff\r\n2,\"two\nlines\",,\r\n"
        ),
        (
          "json",
          """
          [{"id":1,"title":"For \\"Those\\", about","price":9.5,"cover":"00ff"},
          {"id":2,"title":"two\\nlines","price":null,"cover":null}]

          """
        ),
      ])
    func formats(format: String, output: String) async throws {
      let tool = try ToolRun()
      try await tool.make("a.db", ToolRun.script)
      try tool.write("query.sql", "SELECT * FROM album;\n")
      #expect(
        try await tool.output("query", "a.db", "SELECT * FROM album", "--format", format) == output)
      #expect(
        try await tool.output("query", "a.db", "--format", format, redirections: "<query.sql")
          == output)
    }

    @Test("a reader that ends early, as head does, ends the tool without a message")
    func closedPipe() async throws {
      let tool = try ToolRun()
      try await tool.make("a.db", ToolRun.script)
      let sql = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200000) SELECT i FROM n"
      let ended = try await tool(["query", "a.db", sql, "--format", "csv"], "2>&1 | head -n 1")
      #expect(ended.output == "i\r\n")
    }

    @Test(
      "a query without rows has its columns",
      arguments: [
        ("table", "SELECT a, b AS \"x y\" FROM empty", "a  x y\n-  ---\n"),
        ("csv", "SELECT a, b AS \"x y\" FROM empty;", "a,x y\r\n"),
        ("json", "SELECT a, b AS \"x y\" FROM empty", "[]\n"),
        ("line", "SELECT a, b AS \"x y\" FROM empty", ""),
        ("csv", "WITH e AS (SELECT 1 AS n) SELECT n FROM e WHERE n > 1 -- none", "n\r\n"),
        ("csv", "PRAGMA foreign_key_check", "table,rowid,parent,fkid\r\n"),
        ("json", "PRAGMA foreign_key_check", "[]\n"),
      ])
    func noRows(format: String, sql: String, output: String) async throws {
      let tool = try ToolRun()
      try await tool.make("a.db", ToolRun.script)
      #expect(try await tool.output("query", "a.db", sql, "--format", format) == output)
    }

    @Test(
      "values that a format could confuse are distinguished",
      arguments: [
        (
          "json", "SELECT 1 AS a, 2 AS a, 9e999 AS b, -9e999 AS c",
          #"{"a":1,"a:1":2,"b":9e999,"c":-9e999}"#
        ),
        (
          "json", "SELECT '' AS a, NULL AS b, x'' AS c, 'NULL' AS d",
          #"{"a":"","b":null,"c":"","d":"NULL"}"#
        ),
        (
          "json", #"SELECT char(1, 27, 127, 34, 92, 9, 13) AS a"#,
          #"{"a":"\u0001\u001b\u007f\"\\\t\r"}"#
        ),
        (
          "json", "SELECT 9223372036854775807 AS a, 0.1 AS b, 1e300 AS c",
          #"{"a":9223372036854775807,"b":0.1,"c":1e+300}"#
        ),
        ("json", "SELECT char(101, 769) AS \"é\"", "{\"é\":\"e\u{301}\"}"),
        ("csv", "SELECT NULL AS a", "a\r\n\"\"\r\n"),
        ("csv", "SELECT char(34, 769) AS a", "a\r\n\"\"\"\u{301}\"\r\n"),
        (
          "table", "SELECT char(27) || '[31m' || char(8238) AS a",
          "a\n------------------\n\\u{1b}[31m\\u{202e}\n"
        ),
        ("table", "SELECT '日本' AS a, 'x' AS b", "a     b\n----  -\n日本  x\n"),
      ])
    func values(format: String, sql: String, output: String) async throws {
      let tool = try ToolRun()
      try await tool.make("a.db", ToolRun.script)
      let written = try await tool.output("query", "a.db", sql, "--format", format)
      #expect(
        Array(written.utf8) == Array((format == "json" ? "[\(output)]\n" : output).utf8),
        "\(written)")
    }

    @Test(
      "--spreadsheet writes an apostrophe before the texts that the help lists, and no other value",
      arguments: [
        ("'=1'", "'=1"), ("'+1'", "'+1"), ("'-1'", "'-1"), ("'@a'", "'@a"), ("'|a'", "'|a"),
        ("'%a'", "'%a"), ("'  =1'", "'  =1"), ("char(9) || 'a'", "'\\u{9}a"),
        ("char(10) || 'a'", "\"'\na\""), ("char(13) || 'a'", "'\\u{d}a"), ("'a=1'", "a=1"),
        ("-1", "-1"), ("-1.5", "-1.5"), ("x'2d31'", "2d31"), ("char(27) || 'a'", "\\u{1b}a"),
      ])
    func spreadsheet(sql: String, field: String) async throws {
      let tool = try ToolRun()
      try await tool.make("a.db", ToolRun.script)
      let written = try await tool.output(
        "query", "a.db", "SELECT \(sql) AS a", "--format", "csv", "--spreadsheet")
      #expect(Array(written.utf8) == Array("a\r\n\(field)\r\n".utf8), "\(written)")
      let help = try await tool.output("help", "query")
        .split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(
        help.contains(
          "before each text that begins with =, +, -, @, | or %, also after spaces, or with a tab or a line break"
        ), "\(help)")
    }

    @Test(
      "rows are written while they are read",
      arguments: [
        ("table", "i  text\n----  ----\n   1  row\n"), ("csv", "i,text\r\n1,row\r\n2,row"),
        ("json", "[{\"i\":1,\"text\":\"row\"},\n{\"i\":2,"),
      ])
    func streaming(format: String, output: String) async throws {
      let tool = try ToolRun()
      try await tool.make("a.db", ToolRun.script)
      let forever = """
        WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT i, 'row' AS text FROM n
        """
      // The tool ends when its output pipe is closed.
      let ended = try await ChildProcess.run(
        "/bin/sh",
        [
          "-c", "(timeout 60 \"$0\" \"$@\"; echo $? >&2) | head -c 60", ToolRun.program, "query",
          "a.db", forever,
          "--format", format,
        ], in: tool.folder, limit: .seconds(90))
      #expect(ended.status == 0)
      #expect(ended.output.contains(output), "\(ended)")
      #expect(!ended.output.hasSuffix("124\n"), "it goes on for ever")
    }

    @Test("--write runs a statement with its rows, a whole script, and VACUUM")
    func writing() async throws {
      let tool = try ToolRun()
      try await tool.make("a.db", ToolRun.script)
      let count: SQL = "SELECT count(*) FROM empty"
      #expect(
        try await tool.output(
          "query", "a.db", "--write", "INSERT INTO empty VALUES (1, 2) RETURNING a + b AS c")
          == "c\n-\n3\n")
      #expect(
        try await tool.output(
          "query", "a.db", "--write",
          "INSERT INTO empty VALUES (1, 2); INSERT INTO empty VALUES (3, 4)")
          == "")
      #expect(try await tool.rows("a.db", count) == [[.integer(3)]])
      let failed = try await tool(
        ["query", "a.db", "--write", "DELETE FROM empty; INSERT INTO nope VALUES (1)"])
      #expect(failed == .init(status: 1, output: "miniorm: no such table: nope\n"))
      #expect(try await tool.rows("a.db", count) == [[.integer(3)]])
      #expect(try await tool.output("query", "a.db", "--write", "VACUUM") == "")
    }
  }
#endif
