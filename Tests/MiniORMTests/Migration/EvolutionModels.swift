import MiniORM

/// The models of an application in nine versions. Each version changes some models of the version
/// before.
enum V1 {
  @Table("person") struct Person: Equatable {
    let id: Int64
    var name: String
    var street: String
    var city: String
    var age: Int
  }
  @Table("ticket") struct Ticket: Equatable {
    @Column(.primaryKey(autoincrement: true)) let id: Int64
    var title: String
    @Column(.references(V1.Person.self, onDelete: .cascade)) var personID: Int64
  }
  @Table("tag", options: [.strict, .withoutRowID]) struct Tag: Equatable {
    @Column(.primaryKey) let code: String
    var label: String
  }
  /// A table without a primary key, but with rowids.
  @Table("log") struct Log: Equatable {
    var text: String
  }
}

/// Adds an optional column and a column with a default.
enum V2 {
  @Table("person") struct Person: Equatable {
    let id: Int64
    var name: String
    var street: String
    var city: String
    var age: Int
    var nickname: String?
    var visits = 0
  }
}

/// Renames a column and a table, and adds an index.
enum V3 {
  @Table("person") struct Person: Equatable {
    let id: Int64
    @Column(renamedFrom: "name") var fullName: String
    var street: String
    var city: String
    var age: Int
    var nickname: String?
    var visits = 0
  }
  @Table("ticket") struct Ticket: Equatable {
    @Column(.primaryKey(autoincrement: true)) let id: Int64
    var title: String
    @Column(.references(V3.Person.self, onDelete: .cascade)) var personID: Int64

    static var indexes: [Index<V3.Ticket>] { [Index("ticket_title") { $0.title }] }
  }
  @Table("journal", renamedFrom: "log") struct Journal: Equatable {
    var text: String
  }
}

/// Splits a table in two, in a step.
enum V4 {
  @Table("person") struct Person: Equatable {
    let id: Int64
    @Column(renamedFrom: "name") var fullName: String
    var age: Int
    var nickname: String?
    var visits = 0
  }
  @Table("address") struct Address: Equatable {
    let id: Int64
    @Column(.references(V4.Person.self, onDelete: .cascade)) var personID: Int64
    var street: String
    var city: String
  }
}

/// Changes constraints: NOT NULL, a type, CHECK, UNIQUE.
enum V5 {
  @Table("person") struct Person: Equatable {
    let id: Int64
    @Column(renamedFrom: "name") var fullName: String
    var age: Double
    var nickname = ""
    @Column(.check("visits >= 0")) var visits = 0
  }
  @Table("ticket") struct Ticket: Equatable {
    @Column(.primaryKey(autoincrement: true)) let id: Int64
    @Column(.check("title <> ''")) var title: String
    @Column(.references(V5.Person.self, onDelete: .cascade)) var personID: Int64

    static var indexes: [Index<V5.Ticket>] { [Index("ticket_title") { $0.title }] }
  }
  @Table("tag", options: [.strict, .withoutRowID]) struct Tag: Equatable {
    @Column(.primaryKey) let code: String
    @Column(.unique) var label: String
  }
}

/// Drops a column, fills another in a step, and changes an index.
enum V6 {
  @Table("person") struct Person: Equatable {
    let id: Int64
    @Column(renamedFrom: "name") var fullName: String
    var initials: String
    var age: Double
    var nickname = ""
    @Column(.check("visits >= 0")) var visits = 0
  }
  @Table("ticket") struct Ticket: Equatable {
    @Column(.primaryKey(autoincrement: true)) let id: Int64
    @Column(.check("title <> ''")) var title: String

    static var indexes: [Index<V6.Ticket>] {
      [Index("ticket_title", unique: true) { $0.title.descending }]
    }
  }
}

/// Creates a view and a trigger, in a step.
enum V7 {
  @Table("journal", renamedFrom: "log") struct Journal: Equatable {
    var text: String
    var level = 0
  }
}

/// Renames a table with a view, and rebuilds most tables.
enum V8 {
  @Table("contact", renamedFrom: "person") struct Contact: Equatable {
    let id: Int64
    @Column(renamedFrom: "name") var fullName: String
    var initials: String
    @Column(.check("age < 200")) var age: Double
    var nickname = ""
    @Column(.check("visits >= 0")) var visits = 0
  }
  @Table("address") struct Address: Equatable {
    let id: Int64
    @Column(.references(V8.Contact.self, onDelete: .setNull)) var personID: Int64?
    var street: String
    var city: String
  }
  @Table("ticket") struct Ticket: Equatable {
    @Column(.primaryKey(autoincrement: true)) let id: Int64
    @Column(.check("title <> ''"), .collate(.nocase)) var title: String
    var priority = 1

    static var indexes: [Index<V8.Ticket>] {
      [Index("ticket_title", unique: true) { $0.title.descending }]
    }
  }
  @Table("tag", options: [.strict, .withoutRowID]) struct Tag: Equatable {
    @Column(.primaryKey) let code: String
    @Column(.unique, .collate(.nocase)) var label: String
    @Column(.check("uses >= 0")) var uses = 0
  }
  @Table("journal", options: [], renamedFrom: "log") struct Journal: Equatable {
    var text: String
    var level = 0
  }
}

/// Renames a column with a trigger, adds a generated column, and makes an index partial.
enum V9 {
  @Table("contact", renamedFrom: "person") struct Contact: Equatable {
    let id: Int64
    @Column(renamedFrom: "name") var fullName: String
    var initials: String
    @Column(.check("age < 200")) var age: Double
    var nickname = ""
    @Column(.check("visits >= 0")) var visits = 0
    @Column(.generated("age >= 18")) var isAdult: Bool
  }
  @Table("ticket") struct Ticket: Equatable {
    @Column(.primaryKey(autoincrement: true)) let id: Int64
    @Column(.check("subject <> ''"), .collate(.nocase), renamedFrom: "title") var subject: String
    var priority = 1

    static var indexes: [Index<V9.Ticket>] {
      [
        Index("ticket_title", unique: true, where: { $0.priority > 0 }) { $0.subject },
        Index("ticket_priority") { ($0.priority.descending, $0.subject) },
      ]
    }
  }
  @Table("journal", options: [.strict], renamedFrom: "log") struct Journal: Equatable {
    var text: String?
    var level = 0
  }
}

/// The schema of each version.
enum Evolution {
  static let last = 9

  static func schema(_ version: Int) -> DatabaseSchema {
    let steps = steps.filter { $0.version <= version }
    return switch version {
    case 1: DatabaseSchema(version: 1, V1.Person.self, V1.Ticket.self, V1.Tag.self, V1.Log.self)
    case 2: DatabaseSchema(version: 2, V2.Person.self, V1.Ticket.self, V1.Tag.self, V1.Log.self)
    case 3: DatabaseSchema(version: 3, V3.Person.self, V3.Ticket.self, V1.Tag.self, V3.Journal.self)
    case 4:
      DatabaseSchema(
        version: 4, V4.Person.self, V3.Ticket.self, V1.Tag.self, V3.Journal.self, V4.Address.self,
        steps: steps)
    case 5:
      DatabaseSchema(
        version: 5, V5.Person.self, V5.Ticket.self, V5.Tag.self, V3.Journal.self, V4.Address.self,
        steps: steps)
    case 6:
      DatabaseSchema(
        version: 6, V6.Person.self, V6.Ticket.self, V5.Tag.self, V3.Journal.self, V4.Address.self,
        steps: steps)
    case 7:
      DatabaseSchema(
        version: 7, V6.Person.self, V6.Ticket.self, V5.Tag.self, V7.Journal.self, V4.Address.self,
        steps: steps)
    case 8:
      DatabaseSchema(
        version: 8, V8.Contact.self, V8.Ticket.self, V8.Tag.self, V8.Journal.self, V8.Address.self,
        steps: steps)
    default:
      DatabaseSchema(
        version: 9, V9.Contact.self, V9.Ticket.self, V8.Tag.self, V9.Journal.self, V8.Address.self,
        steps: steps)
    }
  }

  /// Changes that models cannot express. A step names everything that it needs: it may run on a
  /// file of any earlier version, before the changes of the models.
  private static let steps: [DatabaseSchema.Step] = [
    DatabaseSchema.Step(
      to: 4, "addresses in a table of their own",
      .createTable(
        "address", .column("id", Int64.self, .primaryKey),
        .column("personID", Int64.self, .references(table: "person", onDelete: .cascade)),
        .column("street", String.self), .column("city", String.self)),
      .sql(
        """
        INSERT INTO address (personID, street, city)
        SELECT id, street, city FROM person ORDER BY id
        """),
      .dropColumn("street", from: "person"), .dropColumn("city", from: "person")),
    DatabaseSchema.Step(
      to: 5, "no nickname is an empty one",
      .addColumn("nickname", String?.self, to: "person"),
      .sql("UPDATE person SET nickname = '' WHERE nickname IS NULL")),
    DatabaseSchema.Step(
      to: 6, "initials, and tickets of nobody",
      .dropColumn("personID", from: "ticket"),
      .renameColumn("name", to: "fullName", in: "person"),
      .addColumn("initials", String?.self, to: "person"),
      .backfill("person") { row in
        guard case .text(let name)? = row["fullName"] else { return [:] }
        return ["initials": initials(of: name)]
      }),
    DatabaseSchema.Step(
      to: 7, "a journal of tickets",
      .renameTable("log", to: "journal")),
  ]

  private static func initials(of name: String) -> String {
    String(name.split(separator: " ").compactMap(\.first))
  }

  /// A view and a trigger of another program. Renames update the names in them.
  static func views(_ version: Int) -> String {
    let (person, name) = (version < 8 ? "person" : "contact", version < 3 ? "name" : "fullName")
    let (log, title) = (version < 3 ? "log" : "journal", version < 9 ? "title" : "subject")
    return """
      CREATE VIEW adults (id, name) AS SELECT id, \(name) FROM \(person) WHERE age >= 18;
      CREATE TRIGGER ticket_opened AFTER INSERT ON ticket BEGIN
        INSERT INTO \(log) (text) VALUES ('opened ' || NEW.\(title));
      END;
      """
  }

  /// The rows of a version, as inserted with its own models or with earlier models.
  static func rows(_ version: Int, from origin: Int) -> String {
    let person = version < 8 ? "person" : "contact"
    var columns = ["id", version < 3 ? "name" : "fullName", "age"]
    var people = [
      ["1", "'Ada Lovelace'", "36"], ["7", "'Bób \"B\" O''Neil'", "17"], ["-5", "'C'", "65"],
    ]
    func add(_ column: String, _ values: [String]) {
      columns.append(column)
      for index in people.indices { people[index].append(values[index]) }
    }
    if version < 4 {
      add("street", ["'12 St James'", "''", "'Rue 1'"])
      add("city", ["'London'", "'Reims'", "'Paris'"])
    }
    if version >= 2 {
      let none = version < 5 ? "NULL" : "''"
      add("nickname", origin < 2 ? [none, none, none] : ["'Countess'", none, "''"])
      add("visits", origin < 2 ? ["0", "0", "0"] : ["3", "0", "9"])
    }
    if version >= 6 { add("initials", ["'AL'", "'B\"O'", "'C'"]) }
    var script =
      "INSERT INTO \(person) (\(columns.joined(separator: ", "))) VALUES "
      + people.map { "(\($0.joined(separator: ", ")))" }.joined(separator: ", ") + ";\n"
    if version >= 4 {
      script += """
        INSERT INTO address (id, personID, street, city) VALUES
          (1, -5, 'Rue 1', 'Paris'), (2, 1, '12 St James', 'London'), (3, 7, '', 'Reims');

        """
    }
    let owner = version < 6 ? ["1", "7", "1", "1"].map { ", \($0)" } : ["", "", "", ""]
    let isUrgent = version >= 8 && origin >= 8
    let priority =
      version < 8 ? ["", "", "", ""] : (isUrgent ? [3, 1, 2, 1] : [1, 1, 1, 1]).map { ", \($0)" }
    script += """
      INSERT INTO ticket (id, \(version < 9 ? "title" : "subject")\(version < 6 ? ", personID" : "")\
      \(version < 8 ? "" : ", priority")) VALUES
        (1, 'Pump'\(owner[0])\(priority[0])), (2, 'Fän''s'\(owner[1])\(priority[1])),
        (5, 'O-ring'\(owner[2])\(priority[2])), (9, 'gone'\(owner[3])\(priority[3]));
      DELETE FROM ticket WHERE id = 9;

      """
    let uses = version < 8 ? ["", ""] : origin < 8 ? [", 0", ", 0"] : [", 4", ", 0"]
    script += """
      INSERT INTO tag (code, label\(version < 8 ? "" : ", uses")) VALUES
        ('b', 'Beta'\(uses[0])), ('a', 'Alpha'\(uses[1]));

      """
    let level =
      version < 7 ? ["", "", ""] : origin < 7 ? [", 0", ", 0", ", 0"] : [", 2", ", 0", ", 1"]
    script += """
      INSERT INTO \(version < 3 ? "log" : "journal") (rowid, text\(version < 7 ? "" : ", level")) VALUES
        (3, 'one'\(level[0])), (10, ''\(level[1])), (4000000000, 'three'\(level[2]));

      """
    return script + views(version)
  }
}
