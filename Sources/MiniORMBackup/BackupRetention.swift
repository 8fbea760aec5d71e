import MiniORM

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The states of a continuous backup that a store keeps, by age.
///
/// The newest state whose objects are all listed is always kept, with all objects that its restore
/// needs. Old objects are deleted after a copy of the whole file, and once per hour.
///
/// The age of a state is counted from state to state, and two states are at most one day apart. So after a
/// pause of a month, or with a clock that is wrong, states are kept for longer. States whose times
/// contradict their order by more than ten minutes are kept, and ``BackupStatus/lastError`` says so, until
/// `miniorm backups prune --before` deletes them.
public struct BackupRetention: Sendable, Equatable {
  /// The age up to which every state is kept. One day by default.
  public var all: Duration
  /// The age up to which the last state of each hour is kept. One week by default.
  public var hourly: Duration
  /// The age up to which the last state of each day (UTC) is kept. 31 days by default.
  public var daily: Duration

  /// Creates a retention.
  /// - Parameters:
  ///   - all: The age up to which every state is kept.
  ///   - hourly: The age up to which the last state of each hour is kept.
  ///   - daily: The age up to which the last state of each day (UTC) is kept.
  public init(
    all: Duration = .seconds(86_400), hourly: Duration = .seconds(7 * 86_400),
    daily: Duration = .seconds(31 * 86_400)
  ) {
    (self.all, self.hourly, self.daily) = (all, hourly, daily)
  }

  /// Deletes the objects of the states that are too old.
  /// - Parameter states: States that were sent or read.
  /// - Returns: The states that are kept because their times do not follow their order.
  @discardableResult
  func prune(
    _ store: any BackupStore, now: Date, keeping states: [ObjectName] = [],
    deleting delete: ((_ object: String) async throws -> Void)? = nil
  ) async throws -> [ObjectName] {
    let generations = try await BackupCatalog(store).all()
    // A state with a gap replaces no other state.
    let complete = generations.flatMap(\.completeMoments)
    let disordered = Self.disordered(complete)
    var kept = kept(complete, now: now.milliseconds).union(disordered)
    kept.formUnion(states)
    // Objects that a store does not list for a time are not lost.
    let broken = Set(generations.flatMap(\.moments)).subtracting(complete)
    kept.formUnion(broken.filter { now.milliseconds <= $0.time + all.milliseconds })
    try await Self.delete(generations, keeping: kept, with: delete ?? store.delete) {
      now.milliseconds < ($0.own.last?.time ?? 0) + all.milliseconds
    }
    return disordered
  }

  /// Deletes the objects of the states that are too old, as a running backup does.
  /// - Parameter delete: Deletes an object of the store.
  package func prune(
    _ store: any BackupStore, deleting delete: @escaping (_ object: String) async throws -> Void
  ) async throws { _ = try await prune(store, now: .now, deleting: delete) }

  /// Deletes the states before a position, whatever their times are.
  /// - Parameter delete: Deletes an object; by default, of the store.
  /// - Throws: ``DatabaseError`` if the store does not have the state.
  package static func prune(
    _ store: any BackupStore, before position: BackupPosition,
    deleting delete: ((_ object: String) async throws -> Void)? = nil
  ) async throws {
    let generations = try await BackupCatalog(store).all()
    let complete = generations.flatMap(\.completeMoments)
    guard let first = complete.firstIndex(of: position.object) else {
      throw BackupCatalog.damaged(
        "The store does not list the state at the position \(position), so nothing was deleted")
    }
    // States after a gap are later too.
    let moments = generations.flatMap(\.moments)
    let start = moments.firstIndex(of: position.object) ?? 0
    let kept = Set(moments[start...]).union(complete[first...])
    try await Self.delete(generations, keeping: kept, with: delete ?? store.delete) {
      $0.name.generation.number >= position.object.generation.number
    }
  }

  /// Deletes the objects that no kept state needs.
  ///
  /// A kill at any moment leaves only states that can be restored: in each run of unneeded objects,
  /// the last object is deleted first, and no state depends on later objects. A generation that
  /// continues another one is deleted before it.
  /// - Parameter isInUse: True for a generation whose last objects can be the beginning of a backup.
  private static func delete(
    _ generations: [BackupCatalog.Chain], keeping kept: Set<ObjectName>,
    with delete: (_ object: String) async throws -> Void, isInUse: (BackupCatalog.Chain) -> Bool
  ) async throws {
    var needed = Set<ObjectName>()
    for generation in generations {
      // The last kept state of each base needs all objects between both.
      var last: [Int: Int] = [:]
      for moment in generation.moments where kept.contains(moment) {
        if let base = moment.base { last[base] = max(last[base] ?? 0, moment.sequence) }
      }
      needed.formUnion(
        generation.objects.filter { object in
          last.contains { $0.key <= object.sequence && object.sequence <= $0.value }
        })
    }
    for (index, generation) in generations.enumerated().reversed() {
      let lastMoment = generation.moments.last?.sequence ?? -1
      let isInUse = index == generations.count - 1 || isInUse(generation)
      for object in generation.own.reversed() {
        if needed.contains(object) || object.sequence > lastMoment && isInUse { continue }
        try await delete(object.text)
      }
      // Without its announcement, no later call finds the objects of a generation.
      if !isInUse, !generation.own.contains(where: { needed.contains($0) }) {
        try await delete(generation.name.text)
      }
    }
  }

  /// Returns the states to keep.
  ///
  /// The age of a state is the sum of the times between it and the present. A wrong clock makes one of
  /// these times long or negative, so each counts between 0 and one day.
  /// - Parameter moments: The states in their order.
  func kept(_ moments: [ObjectName], now: UInt64) -> Set<ObjectName> {
    guard let newest = moments.last else { return [] }
    var kept: Set = [newest]
    var periods = Set<UInt64>()
    let sinceNewest = Self.gap(newest.time, now)
    var (sum, next) = (0 as UInt64, newest.time)
    for moment in moments.reversed() {
      sum += Self.gap(moment.time, next)
      next = moment.time
      let age = sinceNewest + sum
      let hour = (newest.time - min(newest.time, sum)) / 3_600_000
      let isLastOfHour = periods.insert(hour).inserted
      let isLastOfDay = periods.insert(1 << 60 | hour / 24).inserted
      if age <= all.milliseconds || age <= hourly.milliseconds && isLastOfHour
        || age <= daily.milliseconds && isLastOfDay
      {
        kept.insert(moment)
      }
    }
    return kept
  }

  private static func gap(_ earlier: UInt64, _ later: UInt64) -> UInt64 {
    min(later - min(later, earlier), 86_400_000)
  }

  /// Returns the states with an earlier successor or a later predecessor. Corrections of a clock by a
  /// few minutes do not matter.
  static func disordered(_ moments: [ObjectName]) -> [ObjectName] {
    let tolerance: UInt64 = 600_000
    var latest: UInt64 = 0
    let hasLaterPredecessor = moments.map { moment in
      latest = max(latest, moment.time)
      return latest > moment.time + tolerance
    }
    var earliest = UInt64.max
    let hasEarlierSuccessor = moments.reversed().map { moment in
      earliest = min(earliest, moment.time)
      return moment.time > earliest + tolerance
    }
    return zip(moments, zip(hasLaterPredecessor, hasEarlierSuccessor.reversed()))
      .filter { $1.0 || $1.1 }.map(\.0)
  }
}

extension Duration {
  fileprivate var milliseconds: UInt64 {
    UInt64(min(max(0, self / .milliseconds(1)), Double(1 << 47)))
  }
}
