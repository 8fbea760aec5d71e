#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Converts an expression to the storage format of the other operand.
extension SQLExpression {
  var timeValue: [SQL] {
    switch coding.dates {
    case .seconds, .real: [sql, SQL(raw: "'unixepoch'")]
    case .milliseconds: [sql.appending(SQL(raw: " / 1000.0")), SQL(raw: "'unixepoch'")]
    case .reference:
      [sql.appending(SQL(raw: " + \(Date.referenceOffset)")), SQL(raw: "'unixepoch'")]
    case .text, .iso8601, .textSeconds, nil: [sql]
    }
  }

  /// Returns the SQL converted to another coding, or nil if that is impossible.
  ///
  /// Only dates are converted, for example from seconds to text. Other values need the same format.
  func converted<Other>(to other: Coding<Other>) -> SQL? {
    convertedPart(to: other).map { SQL($0) }
  }

  consuming func convertedPart<Other>(to other: Coding<Other>) -> SQLPart? {
    if coding.isSame(as: other) { return part }
    if let argument = argument(like: other) { return SQLPart(argument) }
    switch coding.meeting(other) {
    case .equal: return part
    case .converted: return SQLPart(date(storedAs: other.dates))
    case .refused: return nil
    }
  }

  /// Returns the SQL to assign to a column. A computed number is checked against the column's range
  /// and rounded to the column's precision.
  consuming func assignedPart<Other>(to other: Coding<Other>) -> SQLPart? {
    guard let part = convertedPart(to: other) else { return nil }
    guard !part.isColumn, let checked = NumberFunctions.check(SQL(part), for: other.stored) else {
      return part
    }
    return SQLPart(checked)
  }

  /// Converts the SQL to the coding of another operand. If conversion is impossible, the SQL
  /// carries an error.
  func unified<Other>(with other: Coding<Other>, _ operand: @autoclosure () -> SQL? = nil) -> SQL {
    SQL(unifiedPart(with: other, operand()))
  }

  consuming func unifiedPart<Other>(
    with other: Coding<Other>, _ operand: @autoclosure () -> SQL? = nil
  ) -> SQLPart {
    if coding.isSame(as: other) { return part }
    if let converted = (copy self).convertedPart(to: other) { return converted }
    var sql = sql
    sql.record(
      coding.format.refusal(sql.text, other.format, operand()?.text ?? "the other operand"))
    return SQLPart(sql)
  }

  /// True if both operands are dates in different formats.
  func needsConversion<Other>(beside other: SQLExpression<Other>) -> Bool {
    guard let dates = coding.dates, let others = other.coding.dates else { return false }
    return dates != others
  }

  /// Returns the operands of a comparison. Dates in different formats are compared in the finer
  /// format. Dates within half a microsecond, or the precision of a Double, are equal.
  func operands<Other>(with other: SQLExpression<Other>) -> (left: SQLPart, right: SQLPart) {
    guard needsConversion(beside: other) else {
      return (comparedPart(), other.unifiedPart(with: coding, sql))
    }
    if let argument = other.argument(like: coding, compared: true) {
      return (part, SQLPart(argument))
    }
    if let argument = argument(like: other.coding, compared: true) {
      return (SQLPart(argument), other.part)
    }
    return (moment(beside: other.coding.dates), other.moment(beside: coding.dates))
  }

  private func moment(beside other: DateStorage?) -> SQLPart {
    switch (coding.dates, other) {
    case (.seconds, .milliseconds):
      return SQLPart(part, "*", SQLPart(SQL(raw: "1000")))
    case (.text, .seconds), (.text, .milliseconds), (.reference, .seconds),
      (.reference, .milliseconds), (.real, .seconds), (.real, .milliseconds),
      (.iso8601, .seconds), (.iso8601, .milliseconds), (.textSeconds, .seconds),
      (.textSeconds, .milliseconds):
      return SQLPart(call(DateFunctions.position, other))
    case (.text, .reference), (.text, .real), (.reference, .real), (.iso8601, .reference),
      (.iso8601, .real), (.iso8601, .text), (.textSeconds, .reference), (.textSeconds, .real),
      (.textSeconds, .text):
      return SQLPart(call(DateFunctions.convert, other))
    // Neither format holds every text that the other reads.
    case (.iso8601, .textSeconds), (.textSeconds, .iso8601):
      return SQLPart(call(DateFunctions.convert, .text))
    default: return part
    }
  }

  private func call(_ name: String, _ storage: DateStorage?) -> SQL {
    let formats = [coding.dates, storage].map { SQL(raw: "'\(($0 ?? .text).rawValue)'") }
    return .call(name, [sql] + formats)
  }

  /// Converts the SQL for a property of a `@Selection`. If conversion is impossible, the SQL
  /// carries an error that names the property.
  func selected(as property: String, _ other: Coding<Value>) -> SQL {
    if coding.isSame(as: other) { return sql }
    if let converted = converted(to: other) { return converted }
    var sql = sql
    sql.record(coding.mistake(selectedAs: property, other))
    return sql
  }

  func date(storedAs storage: DateStorage?, _ modifiers: [DateModifier] = []) -> SQL {
    guard !modifiers.isEmpty else {
      // The function converts as Swift does when reading and binding, so the stored values are
      // equal.
      return storage == coding.dates ? sql : call(DateFunctions.convert, storage)
    }
    let subsecond = DateModifier.subsecond.sql
    let arguments = timeValue + modifiers.map(\.sql)
    switch storage {
    // Rounds to the nearest unit, as binding a value does.
    case .seconds:
      return SQL(raw: "CAST(round(").appending(
        .call("unixepoch", arguments + [subsecond]), SQL(raw: ") AS INTEGER)"))
    case .milliseconds:
      return SQL(raw: "CAST(round(").appending(
        .call("unixepoch", arguments + [subsecond]), SQL(raw: " * 1000) AS INTEGER)"))
    case .real: return .call("unixepoch", arguments + [subsecond])
    case .reference:
      return SQL(raw: "(").appending(
        .call("unixepoch", arguments + [subsecond]), SQL(raw: " - \(Date.referenceOffset))"))
    case .iso8601:
      return .call("strftime", [SQL(raw: "'%Y-%m-%dT%H:%M:%fZ'")] + arguments)
    // Drops the fraction, as binding a value does.
    case .textSeconds: return .call("datetime", arguments)
    // The text format that MiniORM stores for a date of whole milliseconds.
    case .text, nil: return .call("datetime", arguments + [subsecond])
    }
  }
}

// Without @Column(as:), a Decimal is stored as text, which SQLite would compare by characters.
extension Coding {
  func summed<Sum: ColumnValue>() -> Coding<Sum?> {
    guard Sum.self == Decimal.self else { return Coding<Sum?>() }
    return optional as? Coding<Sum?> ?? self as? Coding<Sum?> ?? Coding<Sum?>()
  }
}

extension SQLExpression {
  var compared: SQL { SQL(comparedPart()) }

  consuming func comparedPart() -> SQLPart {
    guard coding.isDecimalText else { return part }
    return SQLPart(part, SQLPart.collate, SQLPart(SQL(raw: Collation.decimalText.name)))
  }

  var sumName: String { coding.isDecimalText ? DecimalSum.name : "sum" }
}

extension SQLExpression where Value: ColumnValue {
  init(argument number: Int, of owner: PreparedArgument.Owner) {
    let argument = PreparedArgument(number: number, of: owner)
    self.init(SQL(segments: [.parameter(.argument(argument))]), Coding())
  }
}

extension SQLExpression {
  private var argument: PreparedArgument? {
    guard sql.segments.count == 1, case .parameter(.argument(let argument)) = sql.segments[0]
    else { return nil }
    return argument
  }

  /// Returns an argument of a prepared query in the other operand's format; nil for other
  /// expressions.
  /// - Parameter isCompared: True if the argument is compared with the other operand.
  func argument<Other>(like other: Coding<Other>, compared isCompared: Bool = false) -> SQL? {
    argument.map { argument in
      let isSame = coding.stored == nil || other.stored == nil || coding.stored == other.stored
      let coding: any ArgumentCoding = isCompared ? ComparedCoding(coding: other) : other
      return SQL(segments: [.parameter(.argument(argument.stored(isSame ? nil : coding)))])
    }
  }
}
