extension ColumnSchema {
  private var storedType: (any ColumnValue.Type)? { stored as? any ColumnValue.Type }

  var format: ColumnFormat? { storedType.map { ColumnFormat(of: $0) } }

  /// The format that a step's column claims; nil for an integer, which may be a count of units or a
  /// time.
  var claimedFormat: FileRecords.Format? {
    format.flatMap { $0.kind == .integer ? nil : .claimed($0) }
  }

  /// The type as written in `.convertColumn(…)`.
  private var swiftType: String {
    let type =
      if case .scaled(let digits)? = format?.kind {
        "ScaledDecimal<DecimalScales.S\(digits)>"
      } else {
        storedType.map { "\($0)" } ?? "DatabaseValue"
      }
    return isNullable ? "\(type)?" : type
  }

  /// The step that converts the column, for an error message.
  var conversionStep: String {
    ".convertColumn(\"\(name)\", to: \(swiftType).self, in: \"\(table)\", using: \"…\")"
  }

  /// The SQL condition for values that the model can read.
  var isRead: String {
    "\(FormatFunctions.reads)(\(quotedName), \(table.quotedLiteral), \(name.quotedLiteral))"
  }

  func canRead(_ arguments: FunctionArguments) -> Bool {
    func read<Value: ColumnValue>(_ type: Value.Type) -> Bool {
      (try? arguments.value(type, at: 0)) != nil
    }
    guard let storedType, !read(storedType) else { return true }
    // An optional JSON property reads the JSON text null as nil.
    let text =
      isNullable && storedType is any JSONStored.Type
      ? try? arguments.value(String.self, at: 0) : nil
    return text.map { $0.utf8.elementsEqual("null".utf8) } ?? false
  }
}

extension ColumnFormat {
  /// The Swift type of JSON is unknown here. Nil for the default format, whose type is unknown.
  init?(of storage: ColumnStorage) {
    switch storage {
    case .text: return nil
    case .json: self.init(name: "json")
    case .unixSeconds: self.init(of: UnixSeconds.self)
    case .unixSecondsReal: self.init(of: UnixSecondsReal.self)
    case .unixMilliseconds: self.init(of: UnixMilliseconds.self)
    case .decimal(let scale): self.init(name: "decimal(\(scale))")
    case .uuidBytes: self.init(of: UUIDBytes.self)
    case .uppercaseUUID: self.init(of: UppercaseUUID.self)
    case .iso8601: self.init(of: ISO8601Date.self)
    case .textSeconds: self.init(of: TextSeconds.self)
    }
  }
}

struct FormatChange: Sendable {
  let from: ColumnFormat
  let to: ColumnFormat
  let step: String
}

extension FileSchema {
  /// Returns the columns whose values must be computed, or cannot be kept.
  func formatChanges(
    in table: TableDefinition, to wanted: TableDefinition, _ columns: [ColumnSchema]
  ) -> [ExactText: FormatChange] {
    guard let object = object("table", table.name) else { return [:] }
    let recorded = records.formats(in: object)
    var changes: [ExactText: FormatChange] = [:]
    for column in columns {
      guard let format = column.format, let new = wanted.column(column.name), new.generated == nil,
        let old = table.column(new.key), old.generated == nil
      else { continue }
      let from =
        recorded[old.key]?.format ?? (old.type == new.type ? format : .undescribed(old.type))
      guard from.conversion(to: format) != .stored else { continue }
      changes[new.key] = FormatChange(from: from, to: format, step: column.conversionStep)
    }
    return changes
  }

  func lacksRecords(of declared: DeclaredSchema) -> Bool {
    var complete = records
    complete.addIndexes(of: declared, in: self)
    guard complete.objects == records.objects else { return true }
    return declared.tables.contains { model in
      guard let object = object("table", model.name) else { return false }
      let known = records.formats(in: object, isKnown: object.sql.hasSameBytes(as: model.sql))
      return model.create.columns.contains { column in
        column.format != nil && !(known[column.name.folded]?.isProven ?? false)
      }
    }
  }
}

extension DeclaredSchema {
  var formatComparison: DeclaredFormats.Comparison {
    var declared: [ExactText: [ExactText: ColumnFormat]] = [:]
    for model in tables {
      for column in model.create.columns {
        declared[model.name.folded, default: [:]][column.name.folded] = column.format
      }
    }
    return { [declared] table, column, format in
      guard let wanted = declared[table.folded]?[column.folded],
        FileRecords.Format(written: format).format.conversion(to: wanted) != .stored
      else { return nil }
      return wanted.description
    }
  }
}
