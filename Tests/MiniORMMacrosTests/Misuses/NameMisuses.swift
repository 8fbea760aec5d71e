import Testing

let nameMisuses = [
  Misuse(
    """
    @Table(renamedFrom: "") struct City {
      @Column(renamedFrom: "sqlite_x", "title") var name: String
      @Column(renamedFrom: "Name") var title: String
    }
    """,
    [
      .init(1, 21, "A name cannot be empty: write a name"),
      .init(2, 24, "Names that begin with 'sqlite_' are reserved by SQLite: choose another name"),
    ]),
  Misuse(
    """
    @Table struct City {
      @Column(renamedFrom: "label", "title") var name: String
      @Column(renamedFrom: "Name") var title: String
    }
    """,
    [
      .init(
        2, 33,
        "'title' is the name of a column: a former name must belong to a column that "
          + "no longer exists"),
      .init(
        3, 24,
        "'Name' is the name of a column: a former name must belong to a column that "
          + "no longer exists"),
    ]),
  Misuse(
    """
    @Table struct City {
      var name: String
      @Column("name") var other: String
    }
    """,
    [
      .init(
        3, 11,
        "There is a column 'name' already: SQLite ignores the case of names. Choose another name"
      )
    ]),
  Misuse(
    """
    @Table struct City {
      var name: String
      var NAME: String
    }
    """,
    [
      .init(
        3, 7,
        "There is a column 'NAME' already: SQLite ignores the case of names. Choose another name"
      )
    ]),
  Misuse(
    """
    @Table(columns: .snakeCase) struct City {
      var cityName: String
      var city_name: String
    }
    """,
    [
      .init(
        3, 7,
        "There is a column 'city_name' already: SQLite ignores the case of names. Choose another name"
      )
    ]),
  Misuse(
    """
    @Table("") struct City {
      var name: String
    }
    """,
    [
      .init(
        1, 8,
        "A name cannot be empty: write a name")
    ]),
  Misuse(
    """
    @Table struct City {
      @Column("") var name: String
    }
    """,
    [
      .init(
        2, 11,
        "A name cannot be empty: write a name")
    ]),
  Misuse(
    """
    @Table("SQLite_city") struct City {
      var name: String
    }
    """,
    [
      .init(
        1, 8,
        "Names that begin with 'sqlite_' are reserved by SQLite: choose another name")
    ]),
  Misuse(
    """
    @Table struct sqlite_city {
      var name: String
    }
    """,
    [
      .init(
        1, 15,
        "Names that begin with 'sqlite_' are reserved by SQLite: choose another name")
    ]),
  Misuse(
    """
    @Table struct City {
      @Column("sqlite_name") var name: String
    }
    """,
    [
      .init(
        2, 11,
        "Names that begin with 'sqlite_' are reserved by SQLite: choose another name")
    ]),
  Misuse(
    #"""
    @Table("city\(1)") struct City {
      var name: String
    }
    """#,
    [
      .init(
        1, 8,
        "A name must be a plain string literal: write the text itself, without interpolation")
    ]),
  Misuse(
    #"""
    @Table struct City {
      @Column("name\(1)") var name: String
    }
    """#,
    [
      .init(
        2, 11,
        "A name must be a plain string literal: write the text itself, without interpolation")
    ]),
]
