import MiniORM
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The care for the objects in the store, beside the copying. A pass finds lost objects by their names,
/// reads new objects back, and deletes old states.
final class StoreAudit: Sendable {
  /// Old states are deleted after each base, and at this interval.
  private static let pruningInterval = Duration.seconds(3_600)

  private let store: any BackupStore
  private let catalog: BackupCatalog
  private let retention: BackupRetention?
  private let status: BackupState<BackupStatus>
  private let clock: @Sendable () -> Date
  private let lookInterval: Duration
  /// The time between two reads of new objects; nil to read none.
  let readInterval: Duration?

  private struct State {
    var task: Task<Void, Never>?
    var nextLook = ContinuousClock.now
    var nextRead: ContinuousClock.Instant?
    var nextPruning = ContinuousClock.now
    /// The base after which old states were deleted last.
    var prunedBase: Base?
    /// The generation that has lost objects, and the error.
    var loss: (generation: Generation, error: DatabaseError)?
    /// The last generation that lost objects. Only the next generation ends its error.
    var lost: Generation?
    /// The newest state that was read, and its code.
    var read: (object: ObjectName, code: [UInt8])?
  }
  private let state = Mutex(State())

  private struct Base: Equatable {
    let generation: Generation
    let sequence: Int
  }

  init(
    _ store: any BackupStore, _ retention: BackupRetention?, _ status: BackupState<BackupStatus>,
    lookInterval: Duration, readInterval: Duration?, clock: @escaping @Sendable () -> Date
  ) {
    self.clock = clock
    (self.store, catalog, self.retention) = (store, BackupCatalog(store), retention)
    (self.status, self.lookInterval, self.readInterval) = (status, lookInterval, readInterval)
  }

  /// Begins a pass if a pass is due and none runs.
  /// - Parameter chain: nil before the first generation.
  func begin(_ chain: GrowingChain?) {
    state.withLock { state in
      let isNewBase = Self.base(chain) != state.prunedBase
      guard state.task == nil, isNewBase || .now >= state.nextLook else { return }
      state.task = Task.detached(executorPreference: Database.workers) {
        if let chain { await self.check(chain) }
        await self.prune(chain)
        self.state.withLock { $0.task = nil }
      }
    }
  }

  /// Ends a pass.
  func stop() async {
    let task = state.withLock { $0.task }
    task?.cancel()
    await task?.value
  }

  /// Returns the error of a generation that has lost objects, once.
  func takeLoss(of generation: Generation) -> DatabaseError? {
    state.withLock { state in
      defer { state.loss = nil }
      return state.loss.flatMap { $0.generation == generation ? $0.error : nil }
    }
  }

  /// Remembers a state that was read with its base.
  func noteRead(_ object: ObjectName, code: [UInt8]) {
    state.withLock { $0.read = (object, code) }
  }

  /// Ends a generation that cannot be restored.
  func lose(_ generation: Generation, _ reason: String) {
    let error = BackupCatalog.damaged(
      "\(reason), so the backup copies the file again: check what deletes or changes objects in the store"
    )
    // A second pass may find the same loss when the next generation has begun.
    let isKnown = state.withLock { state in
      guard state.lost != generation else { return true }
      (state.lost, state.read) = (generation, nil)
      return false
    }
    guard !isKnown else { return }
    status.change { status in
      (status.position, status.lastRestorable, status.lastCheck) = (nil, nil, nil)
      status.record(error, during: .checking)
    }
    // The next generation begins only now, so that its states stay in the status.
    state.withLock { $0.loss = (generation, error) }
    status.wake()
  }

  /// Changes the status, unless the generation was found to have lost objects meanwhile.
  private func report(_ chain: GrowingChain, _ body: (inout BackupStatus) -> Void) {
    status.change { status in
      if state.withLock({ $0.lost }) != chain.generation { body(&status) }
    }
  }

  private func check(_ chain: GrowingChain) async {
    let began = ContinuousClock.now
    do {
      let listed = try await look(at: chain)
      // A look takes at most a hundredth of the time. After an answer of minutes, a loss is found in hours.
      let took = min(ContinuousClock.now - began, lookInterval * 10)
      state.withLock { $0.nextLook = began + max(lookInterval, took * 100) }
      try await readBack(listed, chain)
      if chain.base != nil { report(chain) { $0.record(nil, during: .checking) } }
    } catch {
      guard !Task.isCancelled else { return }
      if let error = error as? DatabaseError, error.code == .corrupt {
        return lose(chain.generation, error.message)
      }
      state.withLock { $0.nextLook = .now + lookInterval }
      status.change { $0.record(error, during: .checking) }
    }
  }

  /// Lists the generation, and compares it with what was stored.
  private func look(at chain: GrowingChain) async throws -> BackupCatalog.Chain {
    let name = GenerationName(chain.generation, chain.file)
    var listed = try await catalog.chain(name)
    for isLast in [false, true] {
      let found = Set(listed.objects.map(\.sequence))
      let missing = chain.stored.filter { !found.contains($0) }
      let count = listed.objects.count { chain.stored.contains($0.sequence) }
      guard count <= chain.stored.count else {
        throw BackupCatalog.damaged(
          "The store has two objects with one number in generation \(chain.generation.name)")
      }
      guard let first = missing.first else { break }
      guard !isLast else {
        throw BackupCatalog.damaged(
          "The store lost \(missing.count) objects of generation \(chain.generation.name), from object \(first) on"
        )
      }
      // A service may list an object late.
      try await Task.sleep(for: .milliseconds(200))
      listed = try await catalog.chain(name)
    }
    return listed
  }

  /// Reads and authenticates the objects that follow those read before.
  private func readBack(_ listed: BackupCatalog.Chain, _ chain: GrowingChain) async throws {
    let complete = listed.completeMoments
    guard let readInterval, let last = chain.stored.last,
      let target = complete.last(where: { $0.sequence <= last })
    else { return }
    let now = ContinuousClock.now
    var (read, isDue) = state.withLock { state in
      let read = state.read.flatMap { listed.objects.contains($0.object) ? $0 : nil }
      return (read, read == nil || state.nextRead.map { now >= $0 } ?? true)
    }
    if read?.object != target, isDue {
      let restore = BackupRestore(store, catalog, [], Configuration())
      var names = read.map { listed.objects(after: $0.object) } ?? []
      names = names.prefix { $0.sequence <= target.sequence }
      var code = read?.code
      if names.last != target { (names, code) = (try listed.objects(upTo: target), nil) }
      try await restore.read(names, chain.key, after: code, ahead: 2) { code = $1 }
      read = code.map { (target, $0) }
      state.withLock { state in
        state.read = read
        state.nextRead = now + readInterval
      }
    }
    guard let read, complete.contains(read.object) else { return }
    let position = BackupPosition(file: chain.file, object: read.object)
    report(chain) { status in
      status.lastRestorable = position
      status.lastCheck = .now
    }
  }

  private static func disorder(_ states: [ObjectName], _ file: [UInt8]) -> DatabaseError? {
    guard let first = states.first, let last = states.last else { return nil }
    let (start, end) = (
      BackupPosition(file: file, object: first), BackupPosition(file: file, object: last)
    )
    return DatabaseError(
      .copy, code: .range,
      "The machine's clock was wrong: the times of \(states.count) states, from \(start) (\(start.date.exact)) to \(end) (\(end.date.exact)), do not follow their order, so all of them are kept. Delete those that are not needed with miniorm backups prune --before POSITION"
    )
  }

  private static func base(_ chain: GrowingChain?) -> Base? {
    chain.flatMap { chain in
      chain.base.map { Base(generation: chain.generation, sequence: $0) }
    }
  }

  private func prune(_ chain: GrowingChain?) async {
    let base = Self.base(chain)
    let (isDue, read) = state.withLock { state in
      defer { state.prunedBase = base }
      return (state.prunedBase != base || .now >= state.nextPruning, state.read?.object)
    }
    guard let retention, isDue else { return }
    var pause = Self.pruningInterval
    do {
      // Names that others have added may make the states of this backup seem old.
      let states = [read, status.current.position?.object].compactMap(\.self)
      let disordered = try await retention.prune(store, now: clock(), keeping: states)
      let error = chain.flatMap { Self.disorder(disordered, $0.file) }
      status.change { $0.record(error, during: .pruning) }
    } catch {
      guard !Task.isCancelled else { return }
      status.change { $0.record(error, during: .pruning) }
      pause = .seconds(60)
    }
    state.withLock { $0.nextPruning = .now + pause }
  }
}
