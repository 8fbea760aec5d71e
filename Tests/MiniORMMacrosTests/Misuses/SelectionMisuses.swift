import Testing

let selectionMisuses = [
  Misuse(
    """
    @Selection struct Line {
      @Column(.unique) let name: String
    }
    """,
    [
      .init(
        2, 11,
        "'.unique' has no effect here, because a '@Selection' is read from a query and is not a table: remove it"
      )
    ]),
  Misuse(
    """
    @Selection enum Line {
      case one
    }
    """, [.init(1, 12, "@Selection needs a struct: a row is a value")]),
  Misuse(
    """
    @Selection struct Line {
      @Transient var isOpen = false
    }
    """, [.init(1, 19, "'Line' has no columns: declare at least one stored property")]),
  Misuse(
    """
    @Selection struct Line {
      let name: String
      @Column("Name") let other: String
    }
    """,
    [
      .init(
        3, 11,
        "There is a column 'Name' already: SQLite ignores the case of names. Choose another name"
      )
    ]),
  Misuse(
    """
    @Selection struct Line {
      @Embedded var address: Address
    }
    """,
    [
      .init(
        2, 17, "A '@Selection' inside a '@Selection' needs no '@Embedded': remove the attribute")
    ]),
  Misuse(
    """
    @Table struct Person {
      @Column("a") @Embedded var home: Address
    }
    """,
    [
      .init(
        2, 3, "A property is a '@Column' or '@Embedded', not both: remove one attribute")
    ]),
  Misuse(
    """
    @Table struct Person {
      @Embedded(prefix) var home: Address
    }
    """,
    [
      .init(
        2, 13,
        "A name must be a plain string literal: write the text itself, without interpolation")
    ]),
  Misuse(
    """
    @Table struct Person {
      @Embedded var id: Address
      @Embedded var name: String
    }
    """,
    [
      .init(3, 17, "'name' cannot be embedded: '@Embedded' needs a struct with '@Selection'"),
      .init(
        2, 17,
        "An '@Embedded' property cannot be the primary key: declare another property as the key"),
    ]),
]
