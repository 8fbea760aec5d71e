import Foundation
import Synchronization

/// Records the writes of a process and tracks which of them are durable.
///
/// A power cut loses any unsynced writes, in whole or by sector, in no order. It also loses any
/// names added to or removed from a folder since the folder's last sync.
final class DiskRecord: Sendable {
  enum Change: Sendable {
    case write(Int, [UInt8])
    case truncate(Int)
    case sync(folderToo: Bool)
  }

  /// The disk's contents after a power cut.
  struct Image: Sendable {
    var files: [String: [UInt8]]
    /// The last value of ``willCut``.
    var acknowledged: Int
    /// A description for messages.
    var circumstances: String
  }

  fileprivate struct File {
    /// Durable contents.
    var synced: [UInt8]
    /// Unsynced changes, in order.
    var pending: [Change] = []
  }

  fileprivate struct State {
    var files: [File] = []
    /// The file numbers of each name. The first is durable.
    var names: [String: [Int?]] = [:]
    var random: SeededRandom
    var images: [Image] = []
    var count = 0
  }

  private let state: Mutex<State>
  /// The average number of changes between power cuts.
  private let period: Int
  /// Called before each power cut. Returns the number of acknowledged commits.
  private let willCut: @Sendable () -> Int

  init(seed: UInt64, period: Int, willCut: @escaping @Sendable () -> Int) {
    self.period = period
    self.willCut = willCut
    state = Mutex(State(random: SeededRandom(seed)))
  }

  /// The images left by the power cuts so far.
  var images: [Image] { state.withLock { $0.images } }

  /// - Returns: The file's contents, or nil if there is no file.
  func willOpen(_ path: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path).map { [UInt8]($0) }
  }

  /// - Returns: The file's number.
  func didOpen(_ path: String, _ contents: [UInt8]?) -> Int {
    state.withLock { state in
      if let known = state.names[path]?.last, let number = known, contents != nil { return number }
      // A file that existed before its first opening is durable.
      let number = state.files.count
      state.files.append(File(synced: contents ?? []))
      if contents != nil, state.names[path] == nil {
        state.names[path] = [number]
      } else {
        state.names[path, default: [nil]].append(number)
      }
      return number
    }
  }

  func didDelete(_ path: String, syncs: Bool) {
    state.withLock { state in
      state.names[path]?.append(nil)
      if syncs { state.syncNames() }
      cutNowAndThen(&state)
    }
  }

  func note(_ change: Change, of number: Int) {
    state.withLock { state in
      if case .sync(let folderToo) = change {
        // Until the sync returns, any part of it may have reached the disk.
        cutNowAndThen(&state)
        for change in state.files[number].pending { change.apply(to: &state.files[number].synced) }
        state.files[number].pending = []
        if folderToo { state.syncNames() }
      } else {
        state.files[number].pending.append(change)
      }
      cutNowAndThen(&state)
    }
  }

  private func cutNowAndThen(_ state: inout State) {
    state.count += 1
    guard Int.random(in: 0..<period, using: &state.random) == 0 else { return }
    let acknowledged = willCut()
    let way = Way.allCases.randomElement(using: &state.random) ?? .none
    var files: [String: [UInt8]] = [:]
    for (path, numbers) in state.names.sorted(by: { $0.key < $1.key }) {
      let last = numbers.count - 1
      let index =
        switch way {
        case .none: 0
        case .all: last
        default: Int.random(in: 0...last, using: &state.random)
        }
      guard let number = numbers[index] else { continue }
      files[path] = state.files[number].left(by: way, &state.random)
    }
    state.images.append(
      Image(
        files: files, acknowledged: acknowledged,
        circumstances: "\(way) after \(state.count) changes"))
  }

  /// How much of the unsynced data survives a power cut.
  fileprivate enum Way: CaseIterable {
    case none, all, first, some, sectors, garbage
  }
}

extension DiskRecord.State {
  /// Makes the current names durable.
  fileprivate mutating func syncNames() {
    names = names.mapValues { [$0.last ?? nil] }
  }
}

extension DiskRecord.File {
  fileprivate func left(by way: DiskRecord.Way, _ random: inout SeededRandom) -> [UInt8] {
    var bytes = synced
    let first = Int.random(in: 0...pending.count, using: &random)
    for (index, change) in pending.enumerated() {
      switch way {
      case .none: break
      case .all: change.apply(to: &bytes)
      case .first: if index < first { change.apply(to: &bytes) }
      case .some: if Bool.random(using: &random) { change.apply(to: &bytes) }
      case .sectors, .garbage:
        guard case .write(let offset, let written) = change else {
          if Bool.random(using: &random) { change.apply(to: &bytes) }
          continue
        }
        var start = 0
        while start < written.count {
          // Up to the end of the sector.
          let end = min(written.count, start + 512 - (offset + start) % 512)
          var part = Array(written[start..<end])
          if way == .garbage, Int.random(in: 0..<4, using: &random) == 0 {
            part = part.map { _ in UInt8.random(in: .min ... .max, using: &random) }
          }
          if Bool.random(using: &random) {
            DiskRecord.Change.write(offset + start, part).apply(to: &bytes)
          }
          start = end
        }
      }
    }
    return bytes
  }
}

extension DiskRecord.Change {
  fileprivate func apply(to bytes: inout [UInt8]) {
    switch self {
    case .write(let offset, let written):
      let end = offset + written.count
      if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
      bytes.replaceSubrange(offset..<end, with: written)
    case .truncate(let size):
      if bytes.count > size { bytes.removeLast(bytes.count - size) }
    case .sync: break
    }
  }
}
