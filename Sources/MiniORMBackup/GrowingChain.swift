import MiniORM

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A generation that the backup writes, with the place at which its next object continues.
struct GrowingChain {
  let generation: Generation
  let key: BackupKey
  /// The random identity of the file, and the one that names show.
  private let identity: [UInt8]
  let file: [UInt8]
  let pageSize: Int
  private var sequence = 0
  private var previous = BackupObject.noCode
  private let clock: @Sendable () -> Date
  /// Sealed objects that are not in the store yet, in their order. A repeated attempt stores the same
  /// bytes under the same name.
  private(set) var outbox: [(name: ObjectName, bytes: [UInt8])] = []

  /// The salt of the log, and the last sealed frame; nil at the start of the log.
  private(set) var salt: UInt64
  private(set) var position: LogPosition?
  /// The last frame that a checkpoint may have copied to the file during the copy of the base.
  var firstMoment: Int
  /// The offset in the file of the next part of the base; nil without a base in progress.
  private(set) var nextPart: Int? = 0
  private var newBase = 0
  /// The number of the first object.
  private var first = 0
  /// The pages that differ from the continued state, and are not sealed yet.
  private(set) var changedPages: (numbers: ArraySlice<Int>, pages: LogPages)?
  /// The sequence number of the newest complete base.
  private(set) var base: Int?
  /// True if the sealed frames end with a state.
  private(set) var isRestorable = false
  /// The size of the frames since the beginning of the newest base.
  private(set) var frameBytes = 0

  init(
    _ generation: Generation, _ key: BackupKey, identity: [UInt8], _ end: LogEnd,
    clock: @escaping @Sendable () -> Date
  ) throws(DatabaseError) {
    (self.identity, file) = (identity, try BackupKey.file(identity, salt: key.salt))
    (self.generation, self.key, pageSize) = (generation, key, end.pageSize)
    (salt, firstMoment, self.clock) = (end.position.salt, end.position.frame, clock)
  }

  /// The number of bytes of the log that the store does not have.
  func behind(_ end: LogEnd) -> Int {
    let unread = end.position.salt == salt ? end.position.frame - (position?.frame ?? 0) : 0
    return outbox.reduce(unread * (end.pageSize + 24)) { sum, object in
      sum + (object.name.isPart ? 0 : object.bytes.count)
    }
  }

  /// The sequence numbers of the newest base, and of all later objects, that are in the store.
  var stored: Range<Int> {
    // Without its first object, a list shows no continued state.
    guard sequence - outbox.count > first else { return first..<first }
    let start = base ?? 0
    return start..<max(start, sequence - outbox.count)
  }

  mutating func sent(_ count: Int) { outbox.removeFirst(count) }

  // MARK: The base

  /// Begins another base after a restart of the log. The file has all sealed frames.
  mutating func beginBase() {
    nextPart = 0
    frameBytes = 0
  }

  /// Seals the next part of the base. The log may restart before the base is complete: the sealed
  /// frames after the beginning of the base contain all later changes of the file.
  mutating func seal(part: [UInt8], isLast: Bool) throws {
    guard let offset = nextPart else { return }
    let count = part.count / pageSize * pageSize
    let bytes = part.count == count ? part : Array(part.prefix(count))
    if offset == 0 { newBase = sequence }
    try seal(offset == 0 ? .base : .part, offset, bytes)
    nextPart = isLast ? nil : offset + bytes.count
    if isLast { (base, isRestorable) = (newBase, false) }
  }

  // MARK: The continued state

  /// Continues a state of an earlier generation, instead of a base.
  /// - Parameter end: The end of the log at which the pages were compared.
  mutating func link(to state: ComparedState, _ end: LogEnd) throws {
    (base, nextPart, frameBytes) = (state.base, nil, state.frameBytes)
    (first, sequence) = (state.object.sequence + 1, state.object.sequence + 1)
    (previous, changedPages) = (state.code, (state.changedPages[...], state.pages))
    move(to: end.position, end)
    try seal(.link, 0, Array(state.object.generation.digits.utf8))
  }

  /// Seals the first changed pages, in the form of frames.
  mutating func seal(changed frames: [UInt8], _ count: Int) throws {
    try seal(.frames, 0, frames)
    changedPages?.numbers.removeFirst(count)
    if changedPages?.numbers.isEmpty ?? true { changedPages = nil }
    frameBytes += frames.count
  }

  // MARK: The frames

  /// Seals frames that follow the position.
  /// - Parameters:
  ///   - isEnd: True if no further frames follow at once.
  ///   - time: The time of the last commit, in milliseconds; nil for the present.
  mutating func seal(_ frames: LogFrames, isEnd: Bool, time: UInt64? = nil) throws {
    let isMoment =
      isEnd && frames.isCommitted && base != nil && frames.end.frame >= firstMoment
    try seal(isMoment ? .moment : .frames, isMoment ? base ?? 0 : 0, frames.bytes, time: time)
    position = frames.end
    frameBytes += frames.bytes.count
    isRestorable = isMoment
  }

  /// Seals a state without frames if the base was completed after the last frame.
  mutating func sealMoment() throws {
    guard let base, !isRestorable else { return }
    try seal(.moment, base, [])
    isRestorable = true
  }

  /// Continues at a place of this log or of a new log.
  mutating func move(to position: LogPosition, _ end: LogEnd) {
    salt = position.salt
    self.position = position.frame > 0 ? position : nil
    firstMoment = end.position.frame
  }

  /// The object that announces the generation.
  func announcement() throws -> [UInt8] {
    try object(.announcement, 0, [], time: nil).sealed(by: key).bytes
  }

  private func object(
    _ kind: BackupObject.Kind, _ number: Int, _ payload: [UInt8], time: UInt64?
  ) -> BackupObject {
    BackupObject(
      kind, number, pageSize: pageSize, salt: key.salt, identity: identity, generation,
      sequence: sequence,
      time: time ?? clock().milliseconds, previous: previous, payload: payload)
  }

  private mutating func seal(
    _ kind: BackupObject.Kind, _ number: Int, _ payload: [UInt8], time: UInt64? = nil
  ) throws {
    let object = object(kind, number, payload, time: time)
    let (bytes, code) = try object.sealed(by: key)
    outbox.append((object.name, bytes))
    sequence += 1
    previous = code
  }
}
