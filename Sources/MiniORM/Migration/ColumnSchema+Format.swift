extension ColumnSchema {
  /// The type that reads and binds what the column stores.
  private var storedType: (any ColumnValue.Type)? { stored as? any ColumnValue.Type }

  /// How the column stores its values, if that is known.
  var format: ColumnFormat? { storedType.map { ColumnFormat(of: $0) } }

  /// Whether the stored numbers do not show what they stand for.
  var hasUnit: Bool { format?.hasUnit ?? false }

  /// The format that a column of a step claims. A plain integer claims none: it may stand for units of
  /// a decimal number or for a time.
  var claimedFormat: ColumnFormat? {
    format.flatMap { $0.kind == .integer ? nil : $0.claimed }
  }

  /// The type for ``DatabaseSchema/Operation/convertColumn(_:to:in:using:)``, in Swift.
  private var swiftType: String {
    let type =
      if case .scaled(let digits)? = format?.kind {
        "ScaledDecimal<DecimalScales.S\(digits)>"
      } else {
        storedType.map { "\($0)" } ?? "DatabaseValue"
      }
    return isNullable ? "\(type)?" : type
  }

  /// A step that converts the column, as an error shows it.
  var conversionStep: String {
    ".convertColumn(\"\(name)\", to: \(swiftType).self, in: \"\(table)\", using: \"…\")"
  }

  /// Reads an argument of an SQL function as the property does.
  func canRead(_ arguments: FunctionArguments) -> Bool {
    func read<Value: ColumnValue>(_ type: Value.Type) -> Bool {
      (try? arguments.value(type, at: 0)) != nil
    }
    return storedType.map { read($0) } ?? true
  }
}

extension ColumnFormat {
  /// The format that `@Column(as:)` names. Of JSON, only the model knows the type.
  init(of storage: ColumnStorage) {
    switch storage {
    case .json: self.init(name: "json")
    case .unixSeconds: self.init(of: UnixSeconds.self)
    case .unixMilliseconds: self.init(of: UnixMilliseconds.self)
    case .decimal(let scale): self.init(name: "decimal(\(scale))")
    case .uuidBytes: self.init(of: UUIDBytes.self)
    }
  }
}

/// The values of a column in another format.
struct FormatChange: Sendable {
  let from: ColumnFormat
  let to: ColumnFormat
  /// A step that converts the column otherwise, as an error shows it.
  let step: String
}

extension FileSchema {
  /// Returns the columns of a table whose stored values have to be computed, or cannot be kept, so that
  /// their properties read what was meant.
  /// - Parameters:
  ///   - table: The table of the file.
  ///   - wanted: The table that it is to become.
  ///   - columns: The columns of that, whose formats are known.
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
      let from = recorded[old.key] ?? (old.type == new.type ? format : .undescribed(old.type))
      guard from.conversion(to: format) != .stored else { continue }
      changes[new.key] = FormatChange(from: from, to: format, step: column.conversionStep)
    }
    return changes
  }

  /// Whether the file does not record the formats of all columns of the models.
  func lacksRecords(of declared: DeclaredSchema) -> Bool {
    guard records.areCurrent, records.knowsObjects else { return true }
    var complete = records
    complete.addIndexes(of: declared, in: self)
    guard complete.objects == records.objects else { return true }
    return declared.tables.contains { model in
      guard let object = object("table", model.name) else { return false }
      let known = records.formats(in: object, isKnown: object.sql.hasSameBytes(as: model.sql))
      return model.create.columns.contains { column in
        column.format != nil && known[column.name.folded].map(\.isClaim) ?? true
      }
    }
  }
}
