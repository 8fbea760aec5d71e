extension Migrator {
  /// After the last step, throws if a step has created an object that the schema does not declare:
  /// a new file would lack the object.
  func checkMade(
    by step: DatabaseSchema.Step, since before: FileSchema, on connection: isolated Connection
  ) throws(DatabaseError) {
    let file = try file(on: connection)
    for object in file.objects where before.object(object.type, object.name) == nil {
      made[FileRecords.Object(object.type, object.name)] = step
    }
    guard step.version == steps.last?.version, !declared.tables.isEmpty || !declared.objects.isEmpty
    else { return }
    for object in file.objects {
      guard let maker = made[FileRecords.Object(object.type, object.name)],
        let advice = file.advice(declaring: object, in: declared)
      else { continue }
      throw DatabaseError(
        .migrate, code: .misuse,
        "\(maker.version == step.version ? "It" : "\(maker)") creates the \(object.type) \(object.name), "
          + "which is not declared. A new file runs no steps, so the object would be missing. \(advice)",
        table: object.type == "index" || object.type == "trigger" ? object.table : nil)
    }
  }
}

extension Migrator.Work {
  var isStep: Bool {
    switch self {
    case .step: true
    case .create, .follow: false
    }
  }

  /// Foreign keys are off while a table is dropped or rebuilt.
  var turnsForeignKeysOff: Bool {
    switch self {
    case .create: false
    case .step(let step):
      !step.foreignKeysEnabled || step.operations.contains(where: \.needsForeignKeysOff)
    case .follow: true
    }
  }
}
