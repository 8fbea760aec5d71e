/// Upgrades a file, or computes the plan of an upgrade.
///
/// The next transaction is chosen without a lock, so that an up-to-date file is only read. If
/// another process has done the work by then, the transaction is rolled back.
///
/// Comments cite the twelve steps of [Making Other Kinds Of Table Schema
/// Changes](https://www.sqlite.org/lang_altertable.html#otheralter). ``TableRebuild`` performs
/// steps 3 to 8.
final class Migrator {
  struct State {
    let version: Int32
    let cookie: Int
    /// Nil for a file that MiniORM has neither created nor adopted.
    let history: MigrationHistory?
    var file: FileSchema

    /// True for a new file, whose tables `migrate` creates.
    var isEmpty: Bool { version == 0 && history == nil && file.objects.isEmpty }
  }

  enum Work {
    case create
    case step(DatabaseSchema.Step)
    case follow

    var name: String {
      switch self {
      case .create: "created"
      case .step(let step): step.name
      case .follow: MigrationHistory.followed
      }
    }

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

  let target: Int32
  let declared: DeclaredSchema
  let steps: [DatabaseSchema.Step]
  let allowsDrops: Bool
  let progress: (@Sendable (MigrationProgress) -> Void)?
  /// True for a plan, which runs on an empty copy and calls no closures.
  let isPlanning: Bool
  private var isReadOnly = false
  private(set) var planned: [MigrationPlan.Transaction] = []

  var records = FileRecords()
  let parsed = ParsedTables()
  var made: [FileRecords.Object: DatabaseSchema.Step] = [:]
  /// The folded names of tables from which a step's SQL has deleted rows.
  var emptied: Set<ExactText> = []

  var version: Int32 = 0
  var name = ""
  private var actions: [MigrationAction] = []
  /// True if an action may have changed rows without triggers, or left rows without parents.
  private var movedRows = false

  init(
    version: Int32, declared: DeclaredSchema, steps: [DatabaseSchema.Step] = [], allowsDrops: Bool,
    isPlanning: Bool = false, progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) {
    target = version
    self.declared = declared
    self.steps = steps
    self.allowsDrops = allowsDrops
    self.isPlanning = isPlanning
    self.progress = progress
  }

  convenience init(
    _ schema: DatabaseSchema, allowsDrops: Bool, isPlanning: Bool = false,
    progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) throws(DatabaseError) {
    self.init(
      version: schema.version, declared: try schema.declared(), steps: schema.steps,
      allowsDrops: allowsDrops, isPlanning: isPlanning, progress: progress)
  }

  func run(on connection: isolated Connection) throws(DatabaseError) {
    isReadOnly = connection.isReadOnly
    while true {
      let state = try state(on: connection)
      guard let work = try next(state) else { return }
      try declared.check()
      try declared.checkForeignKeys(in: state.file, isComplete: !work.isStep)
      guard !isReadOnly else {
        throw DatabaseError(
          .migrate, code: .readOnly,
          "The file has version \(state.version) and must be migrated to version \(target), but it "
            + "is open for reading only: open it once for writing, and call migrate")
      }
      try connection.register(FormatFunctions.all(for: declared))
      if try transact(work, from: state, on: connection) { return }
    }
  }

  private func state(on connection: isolated Connection) throws(DatabaseError) -> State {
    var state = try connection.migrationState()
    state.file.parsed = parsed
    return state
  }

  func next(_ state: State) throws(DatabaseError) -> Work? {
    guard state.version <= target else {
      throw DatabaseSchema.misuse(
        "The file has version \(state.version), which is newer than this program's \(target): update the program"
      )
    }
    if state.isEmpty { return .create }
    guard state.version > 0, let history = state.history else {
      throw DatabaseSchema.misuse(
        state.version == 0
          ? "The file contains tables but no version: user_version is 0. If an earlier version of "
            + "this program, or another library, created them, call adopt(version: 1) before migrate"
          : "The file has version \(state.version), but no migration history. If an earlier version of "
            + "this program created the file, call adopt(version:) first")
    }
    try history.check(steps, in: state.version)
    if let step = steps.first(where: { $0.version > state.version }) { return .step(step) }
    if state.version < target { return .follow }
    guard state.file.report(declared).isEmpty else { return .follow }
    // A plan and a read-only file need no records.
    return isReadOnly || isPlanning || !state.file.lacksRecords(of: declared) ? nil : .follow
  }

  /// - Returns: True if no work is left. After the commit, the file may be unreadable.
  private func transact(
    _ work: Work, from state: State, on connection: isolated Connection
  ) throws(DatabaseError) -> Bool {
    var isLast = false
    switch work {
    case .step(let step): version = step.version
    case .create, .follow: version = target
    }
    name = work.name
    actions = []
    movedRows = false
    let turnsKeysOff = work.turnsForeignKeysOff && connection.configuration.foreignKeysEnabled
    // Steps 1 and 12. A plan shows the PRAGMA before and after the statements.
    if isPlanning, turnsKeysOff { actions.append(.sql("PRAGMA foreign_keys = OFF")) }
    defer {
      // Restores the settings, even after an error.
      connection.restore("legacy_alter_table", to: 0)
      if turnsKeysOff { connection.restore("foreign_keys", to: 1) }
    }
    let cacheSize = try connection.enlargeCache()
    defer { connection.setCacheSize(cacheSize) }
    try connection.beginWaiting()  // Step 2.
    do throws(DatabaseError) {
      let now = try connection.migrationState()
      guard now.version == state.version, now.cookie == state.cookie else {
        connection.rollback()  // Another process did it.
        return false
      }
      try perform(work, on: connection)
      isLast = !isPlanning && isDone(on: connection)
      if connection.hasBrokenForeignKeys {
        // COMMIT would fail without naming the rows.
        try connection.checkForeignKeys(of: declared.tables)
        throw DatabaseError(
          .migrate, code: .constraintForeignKey,
          "SQL left rows without parents, and a later operation rebuilt or dropped their table, so "
            + "SQLite cannot check whether the rows still exist. Make the later operation a "
            + "separate step")
      }
      try Self.checkCancellation()
    } catch {
      connection.rollback()
      throw explained(error, work, state)
    }
    do throws(DatabaseError) {
      try connection.commit()  // Step 11.
    } catch {
      throw explained(error, work, state)
    }
    if isPlanning {
      if turnsKeysOff { actions.append(.sql("PRAGMA foreign_keys = ON")) }
      planned.append(
        MigrationPlan.Transaction(
          version: version, name: name, statements: actions.map(\.text)))
    }
    return isLast
  }

  private func isDone(on connection: isolated Connection) -> Bool {
    do throws(DatabaseError) {
      return try next(state(on: connection)) == nil
    } catch {
      // Counts as not done: the next check of the file throws this error.
      return false
    }
  }

  /// Throws if the task is cancelled. SQLite checks only while a statement runs.
  static func checkCancellation() throws(DatabaseError) {
    guard !Task.isCancelled else {
      throw DatabaseError(.migrate, code: .interrupt, "The task was cancelled")
    }
  }

  private func explained(_ error: DatabaseError, _ work: Work, _ state: State) -> DatabaseError {
    if error.code.primary == .interrupt, Task.isCancelled {
      return DatabaseError(
        .migrate, code: .interrupt,
        "The migration was cancelled, and the file still has version \(state.version): migrate again"
      )
    }
    return switch work {
    case .step(let step): error.during("\(step)")
    case .create, .follow:
      error.operation == .migrate ? error : error.adding(operation: .migrate)
    }
  }

  private func perform(_ work: Work, on connection: isolated Connection) throws(DatabaseError) {
    records = try connection.migrationState().file.records
    records.begin(in: try connection.fileSchema())
    let before = try file(on: connection)
    let working = connection.workingObjects(of: before)
    switch work {
    case .create:
      for change in AutomaticChange.creation(of: declared) {
        try apply(change.operation, in: before, on: connection)
      }
      if isPlanning { actions.append(.sql(Self.historySQL)) }
      try connection.createOwnTable(Self.historyTable, Self.historySQL)
      try connection.note(steps)
    case .step(let step):
      try turnForeignKeys(on: step.foreignKeysEnabled, connection)
      // Step 9 comes first: SQLite refuses to change an object that a view names. The changes that
      // follow from the models create the view again.
      while let (type, name) = try file(on: connection).obsoleteObject(declared.objects) {
        try apply(.init(kind: .dropObject(type: type, name)), in: before, on: connection)
      }
      for operation in step.operations {
        try turnForeignKeys(
          on: step.foreignKeysEnabled && !operation.needsForeignKeysOff, connection)
        try apply(operation, in: try file(on: connection), on: connection)
      }
      try checkMade(by: step, since: before, on: connection)
    case .follow:
      try turnForeignKeys(on: false, connection)
      try follow(on: connection)
    }
    if movedRows {
      // A rebuild may have changed rows without running triggers: fill dependent objects again.
      for object in before.kept(declared.objects, in: try file(on: connection)) {
        for sql in object.filling { try run(.sql(sql), on: connection) }
      }
    }
    // Step 10.
    if movedRows, work.turnsForeignKeysOff { try connection.checkForeignKeys(of: declared.tables) }
    try connection.checkObjects(working)
    // A separate transaction makes the changes that follow from the models.
    if work.isStep {
      // If the file matches the models already, the formats are proved here, so that unreadable
      // rows roll the step back.
      if version == target, try file(on: connection).report(declared).isEmpty {
        try proveFormats(on: connection)
      }
    } else {
      try proveFormats(on: connection)
      let report = try file(on: connection).report(declared)
      guard report.isEmpty else {
        throw DatabaseSchema.misuse(
          "The file differs from the models. Write a step for these differences:\n\(report)")
      }
      try connection.probe(before.changedObjects(declared.objects))
    }
    try run(
      .sql(
        "INSERT INTO \(Self.historyTable) (version, name) VALUES (\(version), \(name.quotedLiteral))"
      ),
      on: connection)
    try run(.sql("PRAGMA user_version = \(version)"), on: connection)
    let after = try connection.fileSchema()
    records.end(in: after, for: declared)
    try connection.write(records, in: after)
  }

  private func follow(on connection: isolated Connection) throws(DatabaseError) {
    let transaction = name
    defer { name = transaction }
    var done: Set<ExactText> = []
    while true {
      let file = try file(on: connection)
      let next = try AutomaticChange.next(in: file, for: declared, allowingDrops: allowsDrops)
      guard let change = next else { return }
      let actions =
        try change.notes.map { .note($0) }
        + change.operation.actions(in: file, allowingDrops: allowsDrops)
      // Repeated statements had no effect. The final check reports the difference.
      let statements = actions.map(\.text).joined(separator: ";\n")
      guard done.insert(ExactText(statements)).inserted else { return }
      name = change.name
      do throws(DatabaseError) {
        for action in actions { try run(action, on: connection) }
      } catch {
        throw error.code.primary == .interrupt ? error : error.during(change.name)
      }
      record(change.operation, in: file)
    }
  }

  private func apply(
    _ operation: DatabaseSchema.Operation, in file: FileSchema, on connection: isolated Connection
  ) throws(DatabaseError) {
    for action in try operation.actions(in: file, allowingDrops: allowsDrops) {
      try run(action, on: connection)
    }
    record(operation, in: file)
  }

  private func turnForeignKeys(on isOn: Bool, _ connection: isolated Connection)
    throws(DatabaseError)
  {
    guard connection.configuration.foreignKeysEnabled else { return }
    try connection.setForeignKeys(isOn)
  }

  private func run(_ action: MigrationAction, on connection: isolated Connection)
    throws(DatabaseError)
  {
    if isPlanning { actions.append(action) }
    movedRows = movedRows || action.movesRows
    try perform(action, on: connection)
  }
}
