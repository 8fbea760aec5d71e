import MiniORM

/// The names in a store, without their objects.
struct BackupCatalog {
  struct Chain: Sendable {
    let name: GenerationName
    /// In the order of their sequence numbers. If the generation continues a state, the objects from
    /// the base to this state, which belong to earlier generations, come first.
    let objects: [ObjectName]

    /// The objects of the generation itself.
    var own: ArraySlice<ObjectName> { objects.drop { $0.generation != name.generation } }

    var moments: [ObjectName] { own.filter { $0.base != nil } }

    /// The states of the generation from whose base on all objects are listed.
    var completeMoments: [ObjectName] {
      var (next, bases) = (-1, Set<Int>())
      return objects.filter { object in
        if object.sequence != next { bases = [] }
        next = object.sequence + 1
        if object.link == "base" { bases.insert(object.sequence) }
        return object.generation == name.generation
          && object.base.map { bases.contains($0) } ?? false
      }
    }

    /// Returns the objects from a moment's base to the moment.
    /// - Throws: ``DatabaseError`` with the missing sequence number.
    func objects(upTo moment: ObjectName) throws(DatabaseError) -> ArraySlice<ObjectName> {
      guard let base = moment.base, base < moment.sequence,
        let first = objects.firstIndex(where: { $0.sequence >= base }),
        let last = objects.firstIndex(of: moment)
      else {
        throw BackupCatalog.damaged(
          "The name of the object \(moment.text) does not follow its base: restore another state")
      }
      let range = objects[first...max(first, last)]
      for (object, sequence) in zip(range, base...) where object.sequence != sequence {
        throw BackupCatalog.damaged(
          object.sequence < sequence
            ? "There are two objects with the number of \(object.text)"
            : "Object \(sequence) of generation \(name.generation.name) is missing")
      }
      return range
    }

    /// Returns the objects after a state, up to the newest state that has no gap before it.
    func objects(after state: ObjectName) -> ArraySlice<ObjectName> {
      let first = objects.firstIndex { $0.sequence > state.sequence } ?? objects.endIndex
      let run = zip(objects[first...], (state.sequence + 1)...).prefix { $0.sequence == $1 }
      let end = run.lastIndex { $0.0.base != nil } ?? -1
      return objects[first...].prefix(end + 1)
    }
  }

  private let store: any BackupStore

  init(_ store: any BackupStore) { self.store = store }

  /// Returns the generations, the oldest first.
  func names() async throws -> [GenerationName] {
    try await Self.retrying { try await store.list(GenerationName.folder) }
      .compactMap { GenerationName($0) }.sorted { $0.text < $1.text }
  }

  /// Returns the generations, without the announcements that no backup can have sealed.
  func namesOfBackups() async throws -> [GenerationName] {
    let names = try await names()
    // Reading is necessary only for names that no single backup writes.
    guard names.contains(where: { $0.file != names[0].file }) else { return names }
    var formed: [GenerationName] = []
    for name in names {
      do {
        let bytes = try await Self.retrying { try await store.get(name.text) }
        if BackupObject.isFormed(bytes ?? []) { formed.append(name) }
      } catch let error as DatabaseError where error.code == .corrupt {}
    }
    return formed
  }

  func chain(_ name: GenerationName) async throws -> Chain {
    var listed: [Generation: [ObjectName]] = [:]
    return try await chain(name, &listed)
  }

  /// - Parameter listed: The objects of the generations that were listed before.
  private func chain(
    _ name: GenerationName, _ listed: inout [Generation: [ObjectName]]
  ) async throws -> Chain {
    var chain = try await objects(of: name.generation, &listed)
    var base: Int?
    // Numbers decrease, so that the links of a hostile store end.
    while let first = chain.first, let origin = first.origin,
      origin.number < first.generation.number
    {
      let earlier = try await objects(of: origin, &listed).prefix { $0.sequence < first.sequence }
      base = base ?? earlier.last?.base
      let needed = earlier.drop { $0.sequence < base ?? 0 }
      guard !needed.isEmpty else { break }
      chain = needed + chain
    }
    return Chain(name: name, objects: chain)
  }

  private func objects(
    of generation: Generation, _ listed: inout [Generation: [ObjectName]]
  ) async throws -> [ObjectName] {
    if let objects = listed[generation] { return objects }
    let objects = try await Self.retrying { try await store.list("\(generation.name)/") }
      .compactMap { ObjectName($0) }.filter { $0.generation == generation }
      .sorted { $0.text < $1.text }
    listed[generation] = objects
    return objects
  }

  func all() async throws -> [Chain] {
    var (chains, listed) = ([Chain](), [Generation: [ObjectName]]())
    for name in try await names() { chains.append(try await chain(name, &listed)) }
    return chains
  }

  /// Returns the newest state whose objects are all listed.
  func newestMoment() async throws -> BackupPosition? {
    for name in try await names().reversed() {
      if let moment = try await chain(name).completeMoments.last {
        return BackupPosition(file: name.file, object: moment)
      }
    }
    return nil
  }

  static func damaged(_ message: String) -> DatabaseError {
    DatabaseError(.copy, code: .corrupt, message)
  }

  /// Repeats a call of a store that fails, five times at most.
  static func retrying<Result>(_ body: () async throws -> Result) async throws -> Result {
    var delay = Duration.milliseconds(50)
    for _ in 0..<4 {
      do {
        return try await body()
      } catch {
        try await Task.sleep(for: delay)
        delay *= 4
      }
    }
    return try await body()
  }
}
