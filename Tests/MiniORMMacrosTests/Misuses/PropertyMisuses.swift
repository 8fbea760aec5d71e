import Testing

let propertyMisuses = [
  Misuse(
    """
    @Table struct City {
      let id: Int64
      var area = compute() // km²
    }
    """,
    [
      .init(
        3, 7,
        "Write the type of 'area': @Table infers a type only from a literal",
        .init(
          "Add a type",
          """
          @Table struct City {
            let id: Int64
            var area: <#Type#> = compute() // km²
          }
          """))
    ]),
  Misuse(
    """
    @Table struct City {
      var site = URL(string: "x")
    }
    """,
    [
      .init(
        2, 7,
        "Write the type of 'site': @Table infers a type only from a literal",
        .init(
          "Add a type",
          """
          @Table struct City {
            var site: <#Type#> = URL(string: "x")
          }
          """))
    ]),
  Misuse(
    """
    @Table struct City {
      let id: Int64
      private lazy var name = "x"
    }
    """,
    [
      .init(
        3, 11,
        "A lazy property cannot be a column: compute it, or leave 'lazy' out",
        .init(
          "Remove 'lazy'",
          """
          @Table struct City {
            let id: Int64
            private var name = "x"
          }
          """))
    ]),
  Misuse(
    """
    @Table struct City {
      let id: Int64
      @Published var name = "x"
    }
    """,
    [
      .init(
        3, 3,
        "A property with '@Published' cannot be a column: mark it '@Transient', or leave the wrapper out"
      )
    ]),
  Misuse(
    """
    @Table struct Point {
      let id: Int64
      var (x, y) = (1, 2)
    }
    """,
    [
      .init(
        3, 7,
        "Declare each column separately, not in a tuple")
    ]),
  Misuse(
    """
    @Table struct City {
      let id: Int64
      // Fixed.
      let kind = "x"
    }
    """,
    [
      .init(
        4, 3,
        "'kind' always has the same value, so no row can be read into it: declare it with 'var'",
        .init(
          "Make it a 'var'",
          """
          @Table struct City {
            let id: Int64
            // Fixed.
            var kind = "x"
          }
          """))
    ]),
  Misuse(
    """
    @Table struct City {
      @Column(as: .xml) var a: Int
    }
    """,
    [
      .init(
        2, 15,
        "Write one of '.json', '.unixSeconds', '.unixSecondsReal', '.unixMilliseconds', '.iso8601', "
          + "'.textSeconds', '.uuidBytes', '.uppercaseUUID' and '.decimal(scale: 2)', whose scale is a literal from 0 to 18"
      )
    ]),
  Misuse(
    """
    @Table struct City {
      @Column(as: .decimal) var a: Decimal
    }
    """,
    [
      .init(
        2, 15,
        "Write one of '.json', '.unixSeconds', '.unixSecondsReal', '.unixMilliseconds', '.iso8601', "
          + "'.textSeconds', '.uuidBytes', '.uppercaseUUID' and '.decimal(scale: 2)', whose scale is a literal from 0 to 18"
      )
    ]),
  Misuse(
    """
    @Table struct City {
      @Column(as: .decimal(scale: 19)) var a: Decimal
    }
    """,
    [
      .init(
        2, 15,
        "Write one of '.json', '.unixSeconds', '.unixSecondsReal', '.unixMilliseconds', '.iso8601', "
          + "'.textSeconds', '.uuidBytes', '.uppercaseUUID' and '.decimal(scale: 2)', whose scale is a literal from 0 to 18"
      )
    ]),
  Misuse(
    """
    @Table struct City {
      @Column(as: .decimal(scale: digits)) var a: Decimal
    }
    """,
    [
      .init(
        2, 15,
        "Write one of '.json', '.unixSeconds', '.unixSecondsReal', '.unixMilliseconds', '.iso8601', "
          + "'.textSeconds', '.uuidBytes', '.uppercaseUUID' and '.decimal(scale: 2)', whose scale is a literal from 0 to 18"
      )
    ]),
  Misuse(
    """
    @Table struct City {
      @Column(.default("many")) var people: Int
      @Column(.default(1.5)) var count: Int?
      @Column(.default(1)) var isBig: Bool
      @Column(.default(1)) var name: String
      @Column(.default("now")) var founded: Date
    }
    """,
    [
      .init(
        2, 20,
        #"'"many"' is not a value of type 'Int': write a default of the property's type"#),
      .init(
        3, 20,
        "'1.5' is not a value of type 'Int?': write a default of the property's type"),
      .init(
        4, 20,
        "'1' is not a value of type 'Bool': write a default of the property's type"),
      .init(
        5, 20,
        "'1' is not a value of type 'String': write a default of the property's type"),
      .init(
        6, 20,
        #"'"now"' is not a value of type 'Date': write a default of the property's type"#),
    ]),
  Misuse(
    """
    @Table struct City {
      let id: Int64
      @Transient
      var isSelected: Bool
    }
    """,
    [
      .init(
        4, 7,
        "'isSelected' needs a default: a row contains no value for a '@Transient' property"
      )
    ]),
  Misuse(
    """
    @Table struct City {
      let id: Int64
      @Transient var a: Int?
      @Transient let b: Int?
      @Transient var c: Optional<Int>
    }
    """,
    [
      .init(
        4, 18,
        "'b' needs a default: a row contains no value for a '@Transient' property"),
      .init(
        5, 18,
        "'c' needs a default: a row contains no value for a '@Transient' property"),
    ]),
  Misuse(
    """
    @Table struct City {
      let id: Int64
      @Column(.unique)
      @Transient // why
      var a = 1
    }
    """,
    [
      .init(
        4, 3,
        "A property is a '@Column' or '@Transient', not both: remove one attribute",
        .init(
          "Remove '@Transient'",
          """
          @Table struct City {
            let id: Int64
            @Column(.unique)
            // why
            var a = 1
          }
          """))
    ]),
  Misuse(
    """
    @Table struct City {
      let id: Int64
      @Column(.unique) var a: Int { 1 }
    }
    """,
    [
      .init(
        3, 3,
        "'@Column' belongs on a stored property of a '@Table' struct: remove it here",
        .init(
          "Remove '@Column'",
          """
          @Table struct City {
            let id: Int64
            var a: Int { 1 }
          }
          """))
    ]),
  Misuse(
    """
    @Table struct City {
      let id: Int64
      @Column("b")
      static var b = 1
    }
    """,
    [
      .init(
        3, 3,
        "'@Column' belongs on a stored property of a '@Table' struct: remove it here",
        .init(
          "Remove '@Column'",
          """
          @Table struct City {
            let id: Int64
            static var b = 1
          }
          """))
    ]),
  Misuse(
    """
    @Table struct City {
      let id: Int64
      @Transient /* c */ var a: Int { 1 }
    }
    """,
    [
      .init(
        3, 3,
        "'@Transient' belongs on a stored property of a '@Table' struct: remove it here",
        .init(
          "Remove '@Transient'",
          """
          @Table struct City {
            let id: Int64
            /* c */ var a: Int { 1 }
          }
          """))
    ]),
]
