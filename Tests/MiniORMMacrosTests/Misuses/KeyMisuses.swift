import Testing

let keyMisuses = [
  Misuse(
    """
    @Table struct Membership {
      @Column(.primaryKey) let userID: Int64
      @Column(.unique,
        .primaryKey) let groupID: Int64
    }
    """,
    [
      .init(
        4, 5,
        #"There is a primary key already: for a key of several columns write '@Table(primaryKey: ["userID", "groupID"])'"#
      )
    ]),
  Misuse(
    """
    @Table(primaryKey: ["a", "b"]) struct T {
      @Column(.primaryKey) let a: Int64
      let b: Int64
    }
    """,
    [
      .init(
        2, 11,
        #"There is a primary key already: for a key of several columns write '@Table(primaryKey: ["a", "b"])'"#
      )
    ]),
  Misuse(
    """
    @Table struct City {
      var id: Int64?
    }
    """,
    [
      .init(
        2, 7,
        "A primary key cannot be optional: declare 'id' as 'Int64'; 'Draft' leaves 'id' out, so a new row needs no key"
      )
    ]),
  Misuse(
    """
    @Table struct City {
      @Column(.primaryKey) var code: String?
    }
    """,
    [
      .init(
        2, 28,
        "A primary key cannot be optional: declare 'code' as 'String'")
    ]),
  Misuse(
    """
    @Table struct City {
      @Column(.primaryKey(autoincrement: true)) var code: String
    }
    """,
    [
      .init(
        2, 11,
        "AUTOINCREMENT needs an integer key in a table with rowids: leave out 'autoincrement'")
    ]),
  Misuse(
    """
    @Table(options: .withoutRowID) struct City {
      @Column(.primaryKey(autoincrement: true)) var code: Int
    }
    """,
    [
      .init(
        2, 11,
        "AUTOINCREMENT needs an integer key in a table with rowids: leave out 'autoincrement'")
    ]),
  Misuse(
    """
    @Table(primaryKey: key) struct City {
      var a: Int
    }
    """,
    [
      .init(
        1, 20,
        #"Write the key as names of properties, such as '["userID", "groupID"]'"#)
    ]),
  Misuse(
    #"""
    @Table(primaryKey: [\City.a, "b"]) struct City {
      var a: Int
      var b: Int
    }
    """#,
    [
      .init(
        1, 21,
        #"Write the key as names of properties, such as '["userID", "groupID"]'"#)
    ]),
  Misuse(
    """
    @Table(primaryKey: ["a", "nope"]) struct City {
      var a: Int
    }
    """,
    [
      .init(
        1, 26,
        "There is no column property 'nope': name a stored property of the struct")
    ]),
  Misuse(
    """
    @Table(options: [.strict, .withoutRowID])
    struct City {
      var a: Int
    }
    """,
    [
      .init(
        2, 8,
        "A table WITHOUT ROWID needs a primary key: declare one with '@Column(.primaryKey)'")
    ]),
  Misuse(
    """
    @Table struct City {
      let id: Int64
      var primaryKey: Int64
    }
    """,
    [
      .init(
        3, 7,
        #"@Table generates a property 'primaryKey': rename this property, and keep the column's name with '@Column("primaryKey")'"#
      )
    ]),
]
