#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension DatabaseError: CustomStringConvertible {
  /// The details for a log: operation, message, code, table, column, row type, path and SQL.
  public var description: String {
    var text = "\(operation.rawValue): \(message) [code \(code.rawValue)]"
    if let table {
      text += column.map { " at \(table).\($0)" } ?? " at \(table)"
    } else if let column {
      text += " at column \(column)"
    }
    if let rowType { text += " reading \(rowType)" }
    if let path { text += " in \(path)" }
    if let sql { text += "\n  SQL: \(sql)" }
    if let sql, let sqlOffset, (0...sql.utf8.count).contains(sqlOffset) {
      text += "\n  here: \(sql.part(sqlOffset..<sql.utf8.count).prefix(40))"
    }
    if let recoverySuggestion { text += "\n  \(recoverySuggestion)" }
    return text
  }
}

extension DatabaseError: LocalizedError {
  /// A one-sentence title for an alert.
  public var errorDescription: String? {
    switch (operation, code.primary) {
    case (.open, _): "The database could not be opened."
    case (.key, .notADatabase), (.key, .misuse): "The database could not be unlocked."
    case (.key, _): "The database's key could not be set."
    case (.rekey, _): "The database's key could not be changed."
    case (.rekeyCheck, _): "It is not known whether the database's key has changed."
    case (.commitCheck, _): "It is not known whether the change was made."
    case (_, .constraint): "The data violates a constraint of the database."
    case (_, .busy), (_, .locked): "The database is in use."
    case (_, .full): "There is no space left for the database."
    case (_, .corrupt): "The database is damaged."
    case (_, .readOnly): "The database is read-only."
    case (.read, _): "A stored value has an unexpected type or format."
    case (.migrate, _): "The database could not be brought up to date."
    case (.attach, _): "The other database could not be attached."
    case (.detach, _): "The other database could not be detached."
    case (.close, _): "The database could not be closed."
    case (.delete, _): "The database could not be deleted."
    default: "The database reported an error."
    }
  }

  /// A description of the failure, for the text of an alert.
  public var failureReason: String? {
    guard let table else { return message }
    let place = column.map { "column \($0) of table \(table)" } ?? "table \(table)"
    return message.contains(table) ? message : "\(message) (\(place))"
  }

  /// The remedy for frequent errors without a remedy in the message; `nil` for all others.
  public var recoverySuggestion: String? {
    if operation == .prepare {
      if message.startsWithBytes(of: "no such table: main.") {
        return
          "A trigger, a view or a foreign key of the file names this table. If the file's own program "
          + "does not enforce foreign keys, set Configuration.foreignKeysEnabled to false."
      }
      if message.startsWithBytes(of: "no such table: ") {
        return "Call migrate with a schema that contains this table's model, or correct the name."
      }
      if message.startsWithBytes(of: "no such column: ")
        || message.utf8.firstRange(of: " has no column named ".utf8) != nil
      {
        return "If a model declares this column, call migrate: the file's table is older."
      }
    }
    if ["no such function: ", "unknown function: "].contains(where: message.startsWithBytes(of:)),
      message.utf8.firstRange(of: ". ".utf8) == nil
    {
      return "Define the function in Configuration.functions, or correct the name."
    }
    if message.startsWithBytes(of: "no such collation sequence: ") {
      return
        "Define the collation in Configuration.collations, with the order that the file's indexes have."
    }
    if code.primary == .readOnly, message.hasSameBytes(as: "attempt to write a readonly database") {
      return "Use write in place of read, and open the database without isReadOnly."
    }
    if operation == .read, code == .mismatch,
      message.utf8.firstRange(of: " in column ".utf8) != nil
    {
      if message.utf8.firstRange(of: " but found NULL".utf8) != nil {
        return "Read the column as an optional type, or store a value with UPDATE."
      }
      // An unexpected storage class is usually a different form of a correct value.
      if message.utf8.firstRange(of: " but found ".utf8) != nil {
        return
          "Read the column as a different type, such as UnixSecondsReal.self for a Date, or with as: in "
          + "a @Selection. Use UPDATE only if the value is wrong."
      }
      if Self.valueProblems.contains(where: { message.startsWithBytes(of: $0) }) {
        return "Correct the stored value with UPDATE, or read the column as a different type."
      }
    }
    if operation == .migrate,
      message.utf8.firstRange(of: "UNIQUE constraint failed: ".utf8) != nil
    {
      return "Rows of the file are equal in these columns. Delete or change them in a step."
    }
    return switch message {
    case "database or disk is full": "Free space on the disk, then repeat the call."
    case "disk I/O error": "Check the disk, and the permissions of the file and its folder."
    case "database disk image is malformed":
      "Restore a backup, or recover the readable rows with Database.salvage."
    default: nil
    }
  }

  private static let valueProblems = [
    "Expected ", "The text ", "The integer ", "The number ", "The date ", "The stored value ",
  ]
}
