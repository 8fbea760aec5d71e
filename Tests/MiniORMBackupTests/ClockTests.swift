import Foundation
import MiniORM
import Synchronization
import Testing

@testable import MiniORMBackup

@Suite("Wrong clocks beside a continuous backup", .timeLimit(.minutes(5)))
struct ClockTests {
  private static let hour = 3_600.0
  private static let day = 86_400.0
  private static let start = Date(timeIntervalSince1970: 1_764_000_000)

  /// A clock that stands still until it is set.
  private final class Clock: Sendable {
    private let date: Mutex<Date>

    init(_ date: Date) { self.date = Mutex(date) }

    var now: Date {
      get { date.withLock { $0 } }
      set { date.withLock { $0 = newValue } }
    }
  }

  /// Runs one backup for each list, and one commit for each time, in seconds after the start.
  private func history(
    _ runs: [[TimeInterval]], in place: BackupCase
  ) async throws -> [(position: BackupPosition, entries: [String], time: Date)] {
    var states: [(position: BackupPosition, entries: [String], time: Date)] = []
    for run in runs {
      let clock = Clock(Self.start + run[0])
      let database = try await place.open()
      try await withRunningBackup(
        of: database, to: place.store, clock: { clock.now }
      ) { backup in
        for time in run {
          clock.now = Self.start + time
          try await database.add(["\(states.count)"])
          states.append(
            (try await backup.flushedPosition(), try await database.entries(), Self.start + time))
        }
      }
      try await database.close()
    }
    return states
  }

  @Test(
    "a state has the time of the machine, the order follows the commits, and a date is unique or refused",
    arguments: [
      [[0, hour, 2 * hour, 3 * hour]],
      [[0, hour], [10 * 365 * day], [2 * hour, 3 * hour]],
      [
        [0, day], [-Self.start.timeIntervalSince1970, 1 - Self.start.timeIntervalSince1970],
        [2 * day],
      ],
      [[0, 1, hour + 2, 3, 4]],
      [[0, 0, 0], [0, 0]],
    ])
  func order(runs: [[TimeInterval]]) async throws {
    try await withBackupCase { place in
      let states = try await history(runs, in: place)
      #expect(states.map(\.position.date) == states.map(\.time))
      #expect(states.map(\.position) == states.map(\.position).sorted())
      let latest = try await place.restored()
      #expect(latest == states.last?.entries)
      for state in states {
        let restored = try await place.restored(.position(state.position))
        #expect(restored == state.entries)
        let early = states.map { $0.time <= state.time }
        let last = try #require(early.lastIndex(of: true))
        if early[...last].contains(false) {
          let error = try await failureOfBackup { try await place.restored(.date(state.time)) }
          #expect(error.message.contains("\(states[last].position)"))
        } else {
          let dated = try await place.restored(.date(state.time))
          #expect(dated == states[last].entries)
        }
      }
    }
  }

  @Test("pruning with a wrong clock keeps the states of the last day")
  func pruning() async throws {
    try await withBackupCase { place in
      // The third start is 40 days ahead.
      let states = try await history([[0, 1], [2], [40 * Self.day]], in: place)
      try await BackupRetention().prune(place.store, now: Self.start + 40 * Self.day)
      let kept = Set(try await BackupCatalog(place.store).all().flatMap(\.completeMoments))
      #expect(kept.isSuperset(of: states.map(\.position.object)))
    }
  }

  @Test("states whose times contradict their order are kept, reported, and deleted by position")
  func disorder() async throws {
    try await withBackupCase { place in
      let none = BackupRetention(all: .zero, hourly: .zero, daily: .zero)
      let states = try await history(
        [[0], [Self.hour], [Self.day], [10], [20]], in: place)
      let store = try place.store
      let disordered = try await none.prune(store, now: Self.start + 30)
      let expected = states[1...].map(\.position.object)
      // A base is a state too.
      let second = states[1].position.object.generation.name
      #expect(Set(disordered).isSuperset(of: expected))
      #expect(disordered.allSatisfy { second <= $0.generation.name })
      let kept = try await BackupCatalog(store).all().flatMap(\.completeMoments)
      #expect(Set(kept).isSuperset(of: expected) && !kept.contains(states[0].position.object))
      try await BackupRetention.prune(store, before: states[3].position)
      let left = try await BackupCatalog(store).all().flatMap(\.completeMoments)
      #expect(left.contains(states[3].position.object))
      #expect(left.allSatisfy { states[3].position.object.generation.name <= $0.generation.name })
      #expect(try await none.prune(store, now: Self.start + 30).isEmpty)
      let error = try await failureOfBackup {
        try await BackupRetention.prune(store, before: states[1].position)
      }
      #expect(error.message.contains("nothing was deleted"))
    }
  }

  @Test("a running backup reports the states that it keeps because of their times")
  func report() async throws {
    try await withBackupCase { place in
      _ = try await history([[0], [Self.day], [10]], in: place)
      let database = try await place.open()
      try await withRunningBackup(
        of: database, to: place.store, retention: BackupRetention(), clock: { Self.start + 20 }
      ) { backup in
        try await database.add(["last"])
        try await backup.flush()
        let status = try await within {
          await backup.status.first { $0.lastError != nil }
        }
        let error = try #require(status?.lastError as? DatabaseError)
        #expect(error.code == .range && error.message.contains("prune --before"))
      }
      try await database.close()
    }
  }

  @Test(
    "retention with random clocks deletes no state of the last day, and thins out older ones"
  )
  func randomClocks() {
    var random = SplitMix(state: 60)
    for _ in 0..<200 {
      // Real times, and the times of a clock that jumps.
      var (real, offset) = (Self.start, 0.0)
      var moments: [(real: Date, object: ObjectName)] = []
      for sequence in 0..<300 {
        real += .random(in: 1...6 * Self.hour, using: &random)
        if Int.random(in: 0..<150, using: &random) == 0 {
          offset = .random(in: -3_650 * Self.day...3_650 * Self.day, using: &random)
        }
        let object = ObjectName(
          generation: Generation(epoch: 0, number: 1, random: 1), sequence: sequence,
          link: "00000000",
          time: (real + offset).milliseconds)
        moments.append((real, object))
      }
      let objects = moments.map(\.object)
      let kept = BackupRetention().kept(objects, now: (real + offset).milliseconds)
        .union(BackupRetention.disordered(objects))
      let jumps = zip(objects, objects.dropFirst()).count {
        abs(Double($1.time) - Double($0.time)) > Self.day * 1_000
      }
      // Each jump makes older states seem at most a day older.
      if jumps == 0 {
        for moment in moments where real.timeIntervalSince(moment.real) < Self.day {
          #expect(kept.contains(moment.object))
        }
      }
      // The last states of two days are less than two days apart, and each jump hides at most a day.
      let times = moments.filter { kept.contains($0.object) }.map(\.real)
        .filter { real.timeIntervalSince($0) < Double(29 - jumps) * Self.day }
      for (earlier, later) in zip(times, times.dropFirst()) {
        #expect(later.timeIntervalSince(earlier) < Double(2 + jumps) * Self.day)
      }
      #expect(times.count > 50)
    }
  }

  @Test("commits that had to wait for the store become states of their own times")
  func backlog() async throws {
    try await withBackupCase { place in
      let (database, clock) = (try await place.open(), Clock(Self.start))
      let faults = FaultyStore.Faults(seed: 1, share: 0)
      let store = FaultyStore(store: try place.store, faults: faults)
      try await withRunningBackup(of: database, to: store, clock: { clock.now }) { backup in
        try await database.add(["0"])
        try await backup.flush()
        faults.share.store(FaultyStore.Faults.all, ordering: .relaxed)
        for step in 1...60 {
          clock.now = Self.start + 10 * Double(step)
          try await database.add(["\(step)"])
        }
        clock.now += 100
        faults.share.store(0, ordering: .relaxed)
        try await within { try await backup.flush() }
      }
      try await database.close()
      // The first commits may be part of the attempt that failed.
      for step in stride(from: 2, through: 60, by: 7) {
        let restored = try await place.restored(.date(Self.start + 10 * Double(step) + 5))
        #expect(restored.count == step + 1, "step \(step)")
      }
    }
  }

  // MARK: Foreign objects

  @Test(
    "objects of others beside the announcements are ignored and reported",
    arguments: [
      "generations/00000000-ffffffffffff-ffffffffffffffff-000102030405060708090a0b0c0d0e0f",
      "generations/00000000-0effffffffff-0000000000000000-000102030405060708090a0b0c0d0e0f",
      "generations/ffffffff-0effffffffff-0000000000000000-000102030405060708090a0b0c0d0e0f",
      "generations/other", "generations/00000001", "generations/ffffffff",
    ])
  func foreign(name: String) async throws {
    try await withBackupCase { place in
      let store = try place.store
      for run in 0..<3 {
        let database = try await place.open()
        try await withRunningBackup(
          of: database, to: store, fenceInterval: .milliseconds(10)
        ) { backup in
          try await database.add(["\(run)"])
          try await backup.flush()
          try store.put(name, [])
          let status = try await within {
            while true {
              try await database.add(["more"])
              try await backup.flush()
              let status = await backup.now
              if status.lastError != nil { return status }
            }
          }
          #expect("\(String(describing: status.lastError))".contains(name))
          try await database.add(["last"])
          try await backup.flush()
        }
        let entries = try await database.entries()
        try await database.close()
        let restored = try await place.restored()
        #expect(restored == entries)
      }
    }
  }

  @Test("links between folders of a store end, and an object that is too large is not read")
  func folders() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      try await withRunningBackup(of: database, to: place.store) { backup in
        try await database.add(["one"])
        try await backup.flush()
      }
      let entries = try await database.entries()
      try await database.close()
      let generations = place.folder + "/store/generations"
      for link in ["a", "b"] {
        try FileManager.default.createSymbolicLink(
          atPath: "\(generations)/\(link)", withDestinationPath: generations)
      }
      let store = try place.store
      let restored = try await within { try await place.restored() }
      #expect(restored == entries)
      let large = try #require(try store.list("").last { $0.contains("base") })
      try Data(count: 64 << 20).write(to: URL(fileURLWithPath: place.folder + "/store/" + large))
      let error = try await failureOfBackup { try await place.restored() }
      #expect(error.code == .corrupt && error.message.contains("more than an object"))
    }
  }
}
