import MiniORM

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A restore of a state as a new file.
struct BackupRestore {
  private let store: any BackupStore
  private let catalog: BackupCatalog
  private let keys: [Key]
  private let configuration: Configuration

  init(
    _ store: any BackupStore, _ catalog: BackupCatalog, _ keys: [Key],
    _ configuration: Configuration
  ) {
    (self.store, self.catalog, self.keys, self.configuration) = (
      store, catalog, keys, configuration
    )
  }

  /// A restored state, with its key and the code of its last object.
  struct Restored: Sendable {
    let position: BackupPosition
    let key: BackupKey
    let code: [UInt8]
  }

  static func check(_ path: String) throws(DatabaseError) {
    guard !path.isEmpty, path != ":memory:", !path.utf8.contains(0) else {
      throw DatabaseError(.copy, code: .misuse, "A state is restored as a file: give a path")
    }
  }

  static func check(
    _ position: BackupPosition, notBefore least: BackupPosition?
  ) throws(DatabaseError) {
    guard let least else { return }
    guard least.file == position.file else {
      throw BackupCatalog.damaged(
        "The store has the backup of another database than the one of the position \(least): check the location of the store"
      )
    }
    guard least <= position else {
      throw BackupCatalog.damaged(
        "The state of \(position.date.exact) is older than the required position \(least): the store does not list newer objects that it had"
      )
    }
  }

  /// - Throws: ``DatabaseError``. If objects are missing or changed, the message names the newest
  ///   state whose objects are all listed.
  func run(
    _ moment: BackupMoment, to path: String, notBefore least: BackupPosition?,
    _ progress: (@Sendable (Double) -> Void)?
  ) async throws -> Restored {
    do {
      return try await create(moment, path, notBefore: least, progress)
    } catch let error as DatabaseError where error.code == .corrupt {
      let newest = try? await catalog.newestMoment()
      let advice =
        newest.map {
          "The newest state whose objects are all listed is of \($0.date.exact), at the position \($0)"
        } ?? "The store lists no other state that can be restored"
      throw DatabaseError(.copy, code: .corrupt, "\(error.message). \(advice)", path: path)
    }
  }

  private func create(
    _ moment: BackupMoment, _ path: String, notBefore least: BackupPosition?,
    _ progress: (@Sendable (Double) -> Void)?
  ) async throws -> Restored {
    try Self.check(path)
    // SQLite would apply a log or a journal with the name of the new file.
    if let file = DatabaseFile.all(path).first(where: { DatabaseFile.exists($0) }) {
      throw DatabaseError(
        .copy, code: .cannotOpen, "There is a file at \(file) already: choose another path",
        path: path)
    }
    let (chain, target) = try await find(moment)
    let position = BackupPosition(file: chain.name.file, object: target)
    try Self.check(position, notBefore: least)
    let names = try chain.objects(upTo: target)
    let key = try await key(of: target, in: chain.name.file, notBefore: least)
    let file = try RestoredFile(beside: path)
    let copy = file.path
    defer { DatabaseFile.removeAll(copy) }
    var (code, count) = ([UInt8](), 0)
    try await read(names, key, after: nil) { object, last in
      try file.apply(object)
      (code, count) = (last, count + 1)
      progress?(0.8 * Double(count) / Double(names.count))
    }
    try file.finish()
    let report = try await Database.verify(
      path: copy, key: key.fileKey, configuration: configuration
    ) { progress?(0.8 + 0.2 * $0) }
    // Other problems, such as a violated constraint, were in the database too.
    if let problem = report.problems.first(where: { $0.kind == .page || $0.kind == .structure }) {
      throw BackupCatalog.damaged(
        "The database was damaged at the time of the state: \(problem.message). Restore an earlier state"
      )
    }
    if let reason = DatabaseFile.synchronize(copy, permissionsOf: nil)
      ?? DatabaseFile.move(copy, toFree: path)
    {
      throw DatabaseError(
        .copy, code: .inputOutput,
        "The file could not be moved into place: \(reason). Remove the cause and restore again",
        path: path)
    }
    DatabaseFile.synchronizeFolder(DatabaseFile.parent(path))
    progress?(1)
    return Restored(position: position, key: key, code: code)
  }

  // MARK: The state

  func find(
    _ moment: BackupMoment
  ) async throws -> (BackupCatalog.Chain, ObjectName) {
    let names = try await catalog.namesOfBackups()
    if let first = names.first, let other = names.first(where: { $0.file != first.file }) {
      throw BackupCatalog.damaged(
        "The store has the backups of two databases, in the generations \(first.generation.name) and \(other.generation.name): move one of them to a store of its own"
      )
    }
    switch moment {
    case .latest:
      for name in names.reversed() {
        let chain = try await catalog.chain(name)
        if let last = chain.moments.last { return (chain, last) }
      }
      throw Self.nothing
    case .date(let date): return try await find(date, in: names)
    case .position(let position):
      let object = position.object
      if let name = names.first(where: { $0.generation == object.generation }) {
        let chain = try await catalog.chain(name)
        if chain.moments.contains(object) { return (chain, object) }
      }
      throw BackupCatalog.damaged("The store does not list the state at the position \(position)")
    }
  }

  private static var nothing: DatabaseError {
    DatabaseError(
      .copy, code: .cannotOpen,
      "The store has no state that can be restored: check its location, and whether a backup was complete"
    )
  }

  /// Returns the last state up to a date. The times must tell the order, which they do not after a
  /// correction of the machine's clock.
  private func find(
    _ date: Date, in names: [GenerationName]
  ) async throws -> (BackupCatalog.Chain, ObjectName) {
    var states: [(chain: BackupCatalog.Chain, object: ObjectName)] = []
    for name in names {
      let chain = try await catalog.chain(name)
      states += chain.moments.map { (chain, $0) }
    }
    let isEarly = states.map { $0.object.time <= date.milliseconds }
    func position(_ index: Int) -> BackupPosition {
      BackupPosition(file: states[index].chain.name.file, object: states[index].object)
    }
    guard let last = isEarly.lastIndex(of: true) else {
      guard !states.isEmpty else { throw Self.nothing }
      throw DatabaseError(
        .copy, code: .cannotOpen,
        "The store has no state of \(date) or before: its oldest state is of \(position(0).date.exact). Give this date or a later date"
      )
    }
    guard isEarly[...last].contains(false) else { return (states[last].chain, states[last].object) }
    // The last state of each run of early states.
    let candidates = isEarly.indices.filter { isEarly[$0] && ($0 == last || !isEarly[$0 + 1]) }
    let listed = candidates.suffix(5).map { "\(position($0)) (\(position($0).date.exact))" }
    throw DatabaseError(
      .copy, code: .misuse,
      "The machine's clock was wrong, so the times of the states do not follow their order, and \(candidates.count) states can be meant: \(listed.joined(separator: ", ")). Restore one of them by its position"
    )
  }

  /// Returns the key that seals a state of a file.
  /// - Throws: ``DatabaseError`` if no key does, or a key that the file no longer had.
  func key(
    of target: ObjectName, in file: [UInt8], notBefore least: BackupPosition?
  ) async throws -> BackupKey {
    let bytes = try await bytes(target)
    if let salt = BackupObject.salt(of: bytes) {
      for (index, key) in keys.enumerated() {
        let key = try BackupKey(key, salt: salt, settings: configuration.cipher)
        guard let object = try BackupObject(bytes, key: key) else { continue }
        guard try BackupKey.file(object.identity, salt: salt) == file,
          try key.tag() == target.generation.tag
        else {
          throw BackupCatalog.damaged("The object \(target.text) belongs elsewhere")
        }
        if index > 0 { try await check(target, in: file, former: index, salt, notBefore: least) }
        return key
      }
    }
    throw DatabaseError(
      .key, code: .notADatabase,
      "No key of the \(keys.count) given keys authenticates \(target.text): give the key that the database had on \(Date(milliseconds: target.time)), check Configuration.cipher, or restore another state if the object was changed"
    )
  }

  /// The holder of a former key can seal objects. So the key is accepted only if the store, and the
  /// required position, show no newer key before.
  /// - Parameter index: The index of the key that seals the state. The newest key is the first.
  private func check(
    _ target: ObjectName, in file: [UInt8], former index: Int, _ salt: [UInt8],
    notBefore least: BackupPosition?
  ) async throws {
    let all = try keys.map { try BackupKey($0, salt: salt, settings: configuration.cipher) }
    let tags = try all.map { try $0.tag() }
    func refuse(_ state: String) -> DatabaseError {
      DatabaseError(
        .key, code: .mismatch,
        "A former key seals the state of \(target.text), but \(state), so the holder of the former key may have forged the state. List the newest key first, and restore a state that it seals by its position"
      )
    }
    for name in try await catalog.names()
    where name.file == file && name.generation.name < target.generation.name {
      // A name alone proves nothing.
      guard let newer = tags[..<index].firstIndex(of: name.generation.tag),
        let bytes = try await BackupCatalog.retrying({ try await store.get(name.text) }),
        try BackupObject(bytes, key: all[newer])?.generation == name.generation
      else { continue }
      throw refuse("a newer key seals the earlier generation \(name.generation.name)")
    }
    if let least, !tags[index...].contains(least.object.generation.tag) {
      throw refuse("none of the older keys seals the required position \(least)")
    }
  }

  // MARK: The objects

  private func bytes(_ name: ObjectName) async throws -> [UInt8] {
    guard let bytes = try await BackupCatalog.retrying({ try await store.get(name.text) }) else {
      throw BackupCatalog.damaged("The object \(name.text) is missing")
    }
    return bytes
  }

  /// Checks objects in their order, and passes each to the closure, with its code.
  /// - Parameters:
  ///   - names: Objects up to a state.
  ///   - previous: The code of the object before; nil if the first object is a base.
  ///   - count: The number of objects that are fetched at once, and kept in memory.
  func read(
    _ names: ArraySlice<ObjectName>, _ key: BackupKey, after previous: [UInt8]?,
    ahead count: Int = 4, _ body: (BackupObject, _ code: [UInt8]) async throws -> Void
  ) async throws {
    let base = previous == nil ? names.first?.sequence : names.last?.base
    var previous = previous
    try await fetch(names, ahead: count) { name, bytes in
      guard let object = try BackupObject(bytes, key: key), object.name == name,
        object.salt == key.salt
      else {
        throw BackupCatalog.damaged("The object \(name.text) was changed, or belongs elsewhere")
      }
      guard previous.map({ $0 == object.previous }) ?? (object.kind == .base) else {
        throw BackupCatalog.damaged("The object \(name.text) does not follow the object before it")
      }
      guard name != names.last || object.kind == .moment && object.number == base
      else { throw BackupCatalog.damaged("The object \(name.text) does not complete a state") }
      let code = Array(bytes.suffix(32))
      previous = code
      try await body(object, code)
    }
  }

  /// Fetches several objects at once, and passes them to the closure in their order. The first object
  /// with an error decides, as if the objects were fetched one after the other.
  private func fetch(
    _ names: ArraySlice<ObjectName>, ahead count: Int,
    _ body: (ObjectName, [UInt8]) async throws -> Void
  ) async throws {
    typealias Answer = (index: Int, result: Result<[UInt8], any Error>)
    try await withThrowingTaskGroup(of: Answer.self) { group in
      var (rest, fetched) = (names[...], [Int: Result<[UInt8], any Error>]())
      for index in names.indices {
        while rest.startIndex < min(index + count, names.endIndex), let name = rest.first {
          let next = rest.startIndex
          group.addTask {
            do { return (next, .success(try await bytes(name))) } catch {
              return (next, .failure(error))
            }
          }
          rest = rest.dropFirst()
        }
        while fetched[index] == nil, let answer = try await group.next() {
          fetched[answer.index] = answer.result
        }
        try Task.checkCancellation()
        guard let bytes = try fetched.removeValue(forKey: index)?.get() else { break }
        try await body(names[index], bytes)
      }
      // An error ends the other calls.
    }
  }
}
