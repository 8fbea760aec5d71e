import CSQLCipher
import Foundation

extension HandWritten: EverydayContender {
  // The rows leave the actor, as they leave MiniORM's connection: freeing large ones on another thread than
  // theirs costs as much as reading them.
  func run(_ work: Everyday) async throws -> Int {
    switch work {
    case .fillStock: try await scratch.run { try $0.fillStock() }
    case .insertOneByOne: try await scratch.run { try $0.insertDrafts() }
    case .joinEach: try await actor.run { try $0.joins() }
    case .deleteByKey: try await scratch.run { try $0.deleteByKey() }
    case .deleteByCondition: try await scratch.run { try $0.deleteByCondition() }
    case .upsertModels: try await scratch.run { try $0.upsertModels() }
    case .updateReturning: try await scratch.run { try $0.updateReturning() }
    case .insertBlobs: try await scratch.run { try $0.insertBlobs() }
    case .aggregate: try await fetch { try $0.sums() }
    case .findByTwoKeys: try await actor.run { try $0.memberships() }
    case .fetchWide: try await fetch { try $0.wide() }
    case .fetchBlobs: try await fetch { try $0.images() }
    case .fetchShortTexts: try await fetch { try $0.words() }
    case .fetchLongTexts: try await fetch { try $0.pages() }
    case .commonTable: try await fetch { try $0.large() }
    case .search: try await actor.run { try $0.searches() }
    }
  }
}

extension RawConnection {
  /// Runs a closure between BEGIN and COMMIT.
  func writing(_ body: () throws -> Int) throws -> Int {
    try execute("BEGIN IMMEDIATE")
    let count = try body()
    try execute("COMMIT")
    return count
  }

  /// Reads every row of a statement that is prepared once.
  func rows<Row>(_ sql: String, _ row: (OpaquePointer?) -> Row) throws -> [Row] {
    let s = try statement(sql)
    defer { sqlite3_reset(s) }
    var rows: [Row] = []
    while sqlite3_step(s) == SQLITE_ROW { rows.append(row(s)) }
    return rows
  }

  func fillStock() throws -> Int {
    let s = try statement("INSERT INTO stock (id, name, size) VALUES (?, ?, ?)")
    return try writing {
      for n in Int64(1)...10_000 {
        sqlite3_bind_int64(s, 1, n)
        Self.bind("Stock \(n)", s, 2)
        sqlite3_bind_int64(s, 3, n)
        guard sqlite3_step(s) == SQLITE_DONE else { throw RawError(message: "fill") }
        sqlite3_reset(s)
      }
      return 10_000
    }
  }

  func insertDrafts() throws -> Int {
    let s = try statement("INSERT INTO stock (name, size) VALUES (?, ?)")
    return try writing {
      for draft in Stock.drafts {
        Self.bind(draft.name, s, 1)
        sqlite3_bind_int64(s, 2, Int64(draft.size))
        guard sqlite3_step(s) == SQLITE_DONE else { throw RawError(message: "insert") }
        sqlite3_reset(s)
      }
      return Stock.drafts.count
    }
  }

  func joins() throws -> Int {
    let s = try statement(
      """
      SELECT child.id, child.size, parent.name FROM child JOIN parent ON child.parentID = parent.id
      WHERE child.id = ? AND parent.name <> ?
      """)
    try execute("BEGIN")
    var count = 0
    for key in Child.keys {
      sqlite3_bind_int64(s, 1, key)
      Self.bind("unknown", s, 2)
      var rows: [(Int64, Int, String)] = []
      while sqlite3_step(s) == SQLITE_ROW {
        rows.append(
          (sqlite3_column_int64(s, 0), Int(sqlite3_column_int64(s, 1)), Self.string(s, 2)))
      }
      count += rows.count
      sqlite3_reset(s)
    }
    try execute("COMMIT")
    return count
  }

  func deleteByKey() throws -> Int {
    let s = try statement("DELETE FROM stock WHERE id = ?")
    return try writing {
      var count = 0
      for id in Int64(1)...10_000 {
        guard sqlite3_bind_int64(s, 1, id) == SQLITE_OK, sqlite3_step(s) == SQLITE_DONE else {
          throw RawError(message: "delete")
        }
        count += Int(sqlite3_changes64(sqlite3_db_handle(s)))
        sqlite3_reset(s)
      }
      return count
    }
  }

  func deleteByCondition() throws -> Int {
    let s = try statement("DELETE FROM stock WHERE id > ? AND id <= ?")
    return try writing {
      var count = 0
      for part in Int64(0)..<2_000 {
        sqlite3_bind_int64(s, 1, part * 5)
        sqlite3_bind_int64(s, 2, part * 5 + 5)
        guard sqlite3_step(s) == SQLITE_DONE else { throw RawError(message: "delete") }
        count += Int(sqlite3_changes64(sqlite3_db_handle(s)))
        sqlite3_reset(s)
      }
      return count
    }
  }

  private static func stock(_ s: OpaquePointer?) -> Stock {
    Stock(
      id: sqlite3_column_int64(s, 0), name: string(s, 1), size: Int(sqlite3_column_int64(s, 2)))
  }

  /// Tells no insertion from an update, which MiniORM does.
  func upsertModels() throws -> Int {
    let s = try statement(
      """
      INSERT INTO stock (name, size) VALUES (?, ?)
      ON CONFLICT (name) DO UPDATE SET size = excluded.size RETURNING id, name, size
      """)
    return try writing {
      var count = 0
      for row in Stock.models {
        Self.bind(row.name, s, 1)
        sqlite3_bind_int64(s, 2, Int64(row.size))
        guard sqlite3_step(s) == SQLITE_ROW else { throw RawError(message: "upsert") }
        if Self.stock(s).size == row.size { count += 1 }
        guard sqlite3_step(s) == SQLITE_DONE else { throw RawError(message: "upsert") }
        sqlite3_reset(s)
      }
      return count
    }
  }

  func updateReturning() throws -> Int {
    let s = try statement("UPDATE stock SET size = size + ? WHERE id = ? RETURNING id, name, size")
    return try writing {
      var count = 0
      for id in Int64(1)...10_000 {
        sqlite3_bind_int64(s, 1, 3)
        sqlite3_bind_int64(s, 2, id)
        while sqlite3_step(s) == SQLITE_ROW {
          if Self.stock(s).id == id { count += 1 }
        }
        sqlite3_reset(s)
      }
      return count
    }
  }

  func insertBlobs() throws -> Int {
    let s = try statement("INSERT INTO image (id, data) VALUES (?, ?)")
    return try writing {
      for image in Image.some {
        sqlite3_bind_int64(s, 1, image.id)
        // The bytes outlive the step, so that they need not be copied.
        let code = image.data.withUnsafeBytes { bytes in
          sqlite3_bind_blob64(s, 2, bytes.baseAddress, UInt64(bytes.count), nil)
          return sqlite3_step(s)
        }
        guard code == SQLITE_DONE else { throw RawError(message: "blob") }
        sqlite3_reset(s)
        sqlite3_clear_bindings(s)
      }
      return Image.some.count
    }
  }

  func sums() throws -> [(Int64, Int, Int?)] {
    try rows("SELECT parentID, count(id), sum(size) FROM child GROUP BY parentID") { s in
      (
        sqlite3_column_int64(s, 0), Int(sqlite3_column_int64(s, 1)),
        sqlite3_column_type(s, 2) == SQLITE_NULL ? nil : Int(sqlite3_column_int64(s, 2))
      )
    }
  }

  func memberships() throws -> Int {
    let s = try statement(
      "SELECT userID, groupID, role FROM membership WHERE userID = ? AND groupID = ?")
    try execute("BEGIN")
    var count = 0
    for n in Membership.keys {
      sqlite3_bind_int64(s, 1, Membership.user(n))
      sqlite3_bind_int64(s, 2, Membership.group(n))
      if sqlite3_step(s) == SQLITE_ROW {
        let found = Membership(
          userID: sqlite3_column_int64(s, 0), groupID: sqlite3_column_int64(s, 1),
          role: Self.string(s, 2))
        if !found.role.isEmpty { count += 1 }
      }
      sqlite3_reset(s)
    }
    try execute("COMMIT")
    return count
  }

  func wide() throws -> [Wide] {
    try rows("SELECT * FROM wide") { s in
      Wide(
        id: sqlite3_column_int64(s, 0), i0: sqlite3_column_int64(s, 1),
        i1: sqlite3_column_int64(s, 2), i2: sqlite3_column_int64(s, 3),
        i3: sqlite3_column_int64(s, 4), i4: sqlite3_column_int64(s, 5),
        i5: sqlite3_column_int64(s, 6), i6: sqlite3_column_int64(s, 7),
        i7: sqlite3_column_int64(s, 8), i8: sqlite3_column_int64(s, 9),
        i9: sqlite3_column_int64(s, 10), i10: sqlite3_column_int64(s, 11),
        i11: sqlite3_column_int64(s, 12), i12: sqlite3_column_int64(s, 13),
        i13: sqlite3_column_int64(s, 14), i14: sqlite3_column_int64(s, 15),
        i15: sqlite3_column_int64(s, 16), i16: sqlite3_column_int64(s, 17),
        i17: sqlite3_column_int64(s, 18), i18: sqlite3_column_int64(s, 19),
        i19: sqlite3_column_int64(s, 20), i20: sqlite3_column_int64(s, 21),
        i21: sqlite3_column_int64(s, 22), i22: sqlite3_column_int64(s, 23),
        i23: sqlite3_column_int64(s, 24), i24: sqlite3_column_int64(s, 25),
        i25: sqlite3_column_int64(s, 26), i26: sqlite3_column_int64(s, 27),
        i27: sqlite3_column_int64(s, 28), i28: sqlite3_column_int64(s, 29),
        i29: sqlite3_column_int64(s, 30), t0: Self.string(s, 31), t1: Self.string(s, 32),
        t2: Self.string(s, 33), t3: Self.string(s, 34), t4: Self.string(s, 35),
        t5: Self.string(s, 36), t6: Self.string(s, 37), t7: Self.string(s, 38),
        t8: Self.string(s, 39), t9: Self.string(s, 40), t10: Self.string(s, 41),
        t11: Self.string(s, 42), t12: Self.string(s, 43), t13: Self.string(s, 44),
        t14: Self.string(s, 45), r0: sqlite3_column_double(s, 46),
        r1: sqlite3_column_double(s, 47), r2: sqlite3_column_double(s, 48),
        r3: sqlite3_column_double(s, 49), r4: sqlite3_column_double(s, 50),
        r5: sqlite3_column_double(s, 51), r6: sqlite3_column_double(s, 52),
        r7: sqlite3_column_double(s, 53), r8: sqlite3_column_double(s, 54),
        r9: sqlite3_column_double(s, 55), r10: sqlite3_column_double(s, 56),
        r11: sqlite3_column_double(s, 57), r12: sqlite3_column_double(s, 58),
        r13: sqlite3_column_double(s, 59))
    }
  }

  func images() throws -> [Image] {
    try rows("SELECT id, data FROM image") { s in
      Image(
        id: sqlite3_column_int64(s, 0),
        data: sqlite3_column_blob(s, 1).map {
          Data(bytes: $0, count: Int(sqlite3_column_bytes(s, 1)))
        } ?? Data())
    }
  }

  func words() throws -> [Word] {
    try rows("SELECT id, text FROM word") { s in
      Word(id: sqlite3_column_int64(s, 0), text: Self.string(s, 1))
    }
  }

  func pages() throws -> [Page] {
    try rows("SELECT id, text FROM page") { s in
      Page(id: sqlite3_column_int64(s, 0), text: Self.string(s, 1))
    }
  }

  func large() throws -> [(Int64, Int, String)] {
    try rows(
      """
      WITH large AS (SELECT * FROM child WHERE size > 20000)
      SELECT large.id, large.size, parent.name FROM large JOIN parent ON large.parentID = parent.id
      """
    ) { s in
      (sqlite3_column_int64(s, 0), Int(sqlite3_column_int64(s, 1)), Self.string(s, 2))
    }
  }

  func searches() throws -> Int {
    try execute("BEGIN")
    var count = 0
    for _ in 0..<20 {
      count += try rows(
        """
        SELECT document.id, document.title, snippet(document_text, 1, '', '', '…', 16)
        FROM document_text JOIN document ON document.id = document_text.rowid
        WHERE document_text MATCH 'reims' ORDER BY rank LIMIT \(Document.found)
        """
      ) { s in (sqlite3_column_int64(s, 0), Self.string(s, 1), Self.string(s, 2)) }.count
    }
    try execute("COMMIT")
    return count
  }
}
