/// The models of an application, the version of their tables, and the steps from earlier versions.
///
/// ```swift
/// let schema = DatabaseSchema(
///   version: 3, Company.self, City.self,
///   steps: [
///     DatabaseSchema.Step(to: 3, "names in one column",
///       .addColumn("name", String?.self, to: "person"),
///       .sql("UPDATE person SET name = first || ' ' || last")),
///   ])
/// try await database.migrate(schema)
/// ```
///
/// Write steps only for changes that the models cannot express. The models suffice for new tables,
/// new columns that are optional or have a default, declared renames, changed constraints, and
/// indexes.
public struct DatabaseSchema: Sendable {
  /// The version, which `migrate` writes to the file.
  ///
  /// See [PRAGMA user_version](https://www.sqlite.org/pragma.html#pragma_user_version).
  public let version: Int32

  package let models: [any Model.Type]
  package let objects: [any SchemaObject]
  package let steps: [Step]

  /// Creates a schema from models.
  /// - Parameters:
  ///   - version: The version of the tables, from 1.
  ///   - models: The models, in any order.
  ///   - objects: Views, triggers and similar objects, each after the objects that it uses.
  ///   - steps: The steps for files of earlier versions, in the order of their versions. Give a new
  ///     step a version that no file has yet. Keep a step while a file of an earlier version may
  ///     exist.
  public init(
    version: Int32 = 1, _ models: any Model.Type..., objects: [any SchemaObject] = [],
    steps: [Step] = []
  ) {
    self.init(version: version, models, objects: objects, steps: steps)
  }

  /// Creates a schema from an array of models, for example from several modules of an app.
  ///
  /// ```swift
  /// let schema = DatabaseSchema(Shop.models + Wiki.models)
  /// ```
  public init(
    version: Int32 = 1, _ models: [any Model.Type], objects: [any SchemaObject] = [],
    steps: [Step] = []
  ) {
    self.version = version
    self.models = models
    self.objects = objects
    self.steps = steps
  }

  /// Checks and returns the declarations. SQL in models is not checked.
  func declared() throws(DatabaseError) -> DeclaredSchema {
    guard version > 0 else { throw Self.misuse("A schema's version must be at least 1") }
    try checkSteps()
    var declared = DeclaredSchema()
    var names: Set<ExactText> = []
    for model in models {
      let table = try model.uncheckedTable()
      guard names.insert(table.name.folded).inserted else {
        throw Self.misuse(
          "The schema lists the table \(table.name) twice: list each table once")
      }
      try checkName(table.name)
      declared.tables.append(table)
    }
    try declared.checkRenames()
    for object in objects {
      for definition in try object.definitions {
        let isTrigger = definition.kind == .trigger
        let name = ExactText("\(isTrigger ? "trigger " : "")\(definition.name.folded)")
        guard names.insert(name).inserted else {
          throw Self.misuse(
            "Two \(isTrigger ? "triggers" : "tables or views") of the schema are named "
              + "\(definition.name): rename one of them")
        }
        try checkName(definition.name)
        declared.objects.append(definition)
      }
    }
    return declared
  }

  private func checkName(_ name: String) throws(DatabaseError) {
    guard !name.folded.string.startsWithBytes(of: "miniorm_") else {
      throw Self.misuse(
        "The name \(name) is reserved: choose a name that does not begin with miniorm_")
    }
  }

  private func checkSteps() throws(DatabaseError) {
    var last: Step?
    for step in steps {
      guard !step.operations.isEmpty else {
        throw Self.misuse("\(step) has no operations: remove the step")
      }
      guard !MigrationHistory.reserved.contains(ExactText(step.name)) else {
        throw Self.misuse("The step name \"\(step.name)\" is reserved: choose another name")
      }
      guard step.version > 1 else {
        throw Self.misuse(
          "\(step) never runs: version 1 is the first schema, so steps lead to version 2 or later")
      }
      guard step.version <= version else {
        throw Self.misuse(
          "\(step) leads beyond the schema's version, which is \(version): raise the version")
      }
      if let last, last.version >= step.version {
        throw Self.misuse(
          last.version == step.version
            ? "\(last) and \(step) lead to the same version: combine them into one step"
            : "\(step) stands after \(last): list steps in the order of their versions")
      }
      last = step
    }
  }

  static func misuse(_ message: String) -> DatabaseError {
    DatabaseError(.migrate, code: .misuse, message)
  }
}
