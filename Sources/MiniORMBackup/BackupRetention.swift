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

  /// Deletes the objects that no kept state needs.
  ///
  /// A kill at any moment leaves only states that can be restored: in each run of unneeded objects,
  /// the last object is deleted first, and no state depends on later objects.
  /// - Parameter read: A state that is known to be whole.
  func prune(_ store: any BackupStore, now: Date, keeping read: ObjectName? = nil) async throws {
    let generations = try await BackupCatalog(store).all()
    // A state with a gap replaces no other state.
    let complete = generations.flatMap(\.completeMoments)
    var kept = kept(complete, now: now.milliseconds)
    if let read { kept.insert(read) }
    // Objects that a store does not list for a time are not lost.
    let broken = Set(generations.flatMap(\.moments)).subtracting(complete)
    kept.formUnion(broken.filter { now.milliseconds <= $0.time + all.milliseconds })
    for (index, generation) in generations.enumerated() {
      // The last kept state of each base needs all objects between both.
      var needed: [Int: Int] = [:]
      for moment in generation.moments where kept.contains(moment) {
        if let base = moment.base { needed[base] = max(needed[base] ?? 0, moment.sequence) }
      }
      let lastMoment = generation.moments.last?.sequence ?? -1
      let lastTime = generation.objects.last?.time ?? generation.name.generation.time
      // Objects after the last state can be the beginning of a backup.
      let isInUse =
        index == generations.count - 1 || now.milliseconds < lastTime + all.milliseconds
      for object in generation.objects.reversed() {
        let isNeeded = needed.contains { $0.key <= object.sequence && object.sequence <= $0.value }
        if isNeeded || object.sequence > lastMoment && isInUse { continue }
        try await store.delete(object.text)
      }
      if needed.isEmpty, !isInUse { try await store.delete(generation.name.text) }
    }
  }

  /// Returns the states to keep.
  func kept(_ moments: [ObjectName], now: UInt64) -> Set<ObjectName> {
    var kept = Set(moments.suffix(1))
    var periods = Set<UInt64>()
    for moment in moments.reversed() {
      let age = now - min(now, moment.time)
      let hour = moment.time / 3_600_000
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
}

extension Duration {
  fileprivate var milliseconds: UInt64 {
    UInt64(min(max(0, self / .milliseconds(1)), Double(1 << 47)))
  }
}
