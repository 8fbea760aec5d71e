import Testing

let typeMisuses = [
  Misuse(
    """
    @Table
    final class City {
      var name = ""
    }
    """,
    [
      .init(
        2, 7,
        "@Table needs a struct: a row is a value",
        .init(
          "Make it a struct",
          """
          @Table
          struct City {
            var name = ""
          }
          """))
    ]),
  Misuse(
    """
    @Table
    // A comment.
    class City {
      var name = ""
    }
    """,
    [
      .init(
        3, 1,
        "@Table needs a struct: a row is a value",
        .init(
          "Make it a struct",
          """
          @Table
          // A comment.
          struct City {
            var name = ""
          }
          """))
    ]),
  Misuse(
    """
    @Table enum Kind { case a }
    """,
    [
      .init(
        1, 8,
        "@Table needs a struct: a row is a value")
    ]),
  Misuse(
    """
    @Table actor City {
      var name = ""
    }
    """,
    [
      .init(
        1, 8,
        "@Table needs a struct: a row is a value")
    ]),
  Misuse(
    """
    @Table struct Box<Value> {
      var value: Value
    }
    """,
    [
      .init(
        1, 18,
        "@Table cannot be used on a generic struct or inside a generic type, because a table has a fixed set of columns: declare a struct for each table"
      )
    ]),
  Misuse(
    """
    struct Box<Value> {
      @Table struct Inner {
        var name: String
      }
    }
    """,
    [
      .init(
        2, 17,
        "@Table cannot be used on a generic struct or inside a generic type, because a table has a fixed set of columns: declare a struct for each table"
      )
    ]),
  Misuse(
    """
    enum Outer {
      @Table private struct Inner {
        var name: String
      }
    }
    """,
    [
      .init(
        2, 10,
        "A nested '@Table' struct cannot be private, because @Table generates code outside of the enclosing type: make it 'fileprivate'",
        .init(
          "Make it 'fileprivate'",
          """
          enum Outer {
            @Table fileprivate struct Inner {
              var name: String
            }
          }
          """))
    ]),
  Misuse(
    """
    enum Outer {
      private enum Middle {
        enum Inner {
          @Table struct Line {
            var name: String
          }
        }
      }
    }
    """,
    [
      .init(
        4, 21,
        "@Table cannot reach 'Line' inside 'Middle', which is private to another type: make 'Middle' 'fileprivate'"
      )
    ]),
  Misuse(
    """
    private enum Outer {
      @Table struct Line {
        var name: String
      }
    }
    """, []),
  Misuse(
    """
    @Table
    struct Empty {
      static let x = 1
      @Transient var y = 2
    }
    """,
    [
      .init(
        2, 8,
        "'Empty' has no columns: declare at least one stored property")
    ]),
  Misuse(
    """
    @Table struct City {
      let id: Int64
      #if DEBUG
        var name: String
      #endif
    }
    """,
    [
      .init(
        3, 3,
        "@Table cannot evaluate '#if DEBUG', so it does not know which properties are stored: "
          + "put '#if' around the whole struct")
    ], isConfigured: false),
  Misuse(
    """
    @Table struct City {
      #if DEBUG
        @Column(.unique)
      #endif
      var name: String
    }
    """,
    [
      .init(
        2, 3,
        "@Table does not read attributes inside '#if': write the whole property in each branch")
    ]),
  Misuse(
    """
    struct City {
      @NotAColumn("'Place' cannot be a column", (Place).self) var place: Place
    }
    """,
    [.init(2, 45, "'Place' cannot be a column")]),
]
