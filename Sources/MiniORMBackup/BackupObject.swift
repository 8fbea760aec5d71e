import MiniORM

/// A part of the file, or frames of its log, with the authentication code of the backup's key.
///
/// The code covers the head, the code of the previous object, and the payload. So the objects of a
/// generation form a chain: an object fits in a single place of a single backup.
struct BackupObject: Sendable {
  enum Kind: UInt8 {
    /// The first part of the file. Everything before is in the file, and the log begins.
    case base = 1
    case part
    case frames
    /// Frames after which the state can be restored.
    case moment
    /// The announcement of a generation, without a payload.
    case announcement
    /// The claim of an epoch, without a payload.
    case claim
    /// The start of a generation that continues a state of an earlier generation. The payload is the
    /// name of the earlier generation, and the previous object is the state.
    case link
  }

  private static let magic = Array("MORMBK01".utf8)
  private static let headSize = 128
  private static let codeSize = 32
  /// The limit of an object's size, so that a restore needs little memory. Parts and frames are smaller.
  static let maximumSize = 1 << 20
  static let noCode = [UInt8](repeating: 0, count: codeSize)

  var kind: Kind
  var pageSize: Int
  var salt: [UInt8]
  /// The random identity of the file.
  var identity: [UInt8]
  var generation: Generation
  var sequence: Int
  /// Milliseconds since 1970, by the clock of the machine. Only the sequence numbers tell the order.
  var time: UInt64
  /// For a part of the file, its offset. For a moment, the sequence number of the base.
  var number: Int
  /// The code of the previous object.
  var previous: [UInt8]
  var payload: [UInt8]

  var name: ObjectName {
    let link =
      switch kind {
      case .announcement: "announcement"
      case .claim: "claim"
      case .base: "base"
      case .part: "part"
      case .frames: "frames"
      case .moment: UInt64(number).digits(8)
      case .link: String(decoding: payload, as: UTF8.self)
      }
    return ObjectName(generation: generation, sequence: sequence, link: link, time: time)
  }

  /// True if the payload has frames of the log, and false for a part of the file.
  var isFrames: Bool { kind == .frames || kind == .moment }

  /// Calls the closure for each page, with its number, and with the number of pages in the file if
  /// the page ends a transaction; 0 otherwise.
  func forEachPage<Failure>(
    _ body: (_ number: Int, _ count: Int, _ page: ArraySlice<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    let headSize = isFrames ? WriteAheadLog.frameHeaderSize : 0
    let size = headSize + pageSize
    for start in stride(from: 0, to: payload.count - size + 1, by: size) {
      let page = payload[start + headSize..<start + size]
      if isFrames {
        try body(Int(payload.number(start, 4)), Int(payload.number(start + 4, 4)), page)
      } else {
        try body((number + start) / pageSize + 1, 0, page)
      }
    }
  }

  /// Returns the stored form, and the code at its end.
  func sealed(by key: BackupKey) throws(DatabaseError) -> (bytes: [UInt8], code: [UInt8]) {
    var bytes = Self.magic
    bytes.reserveCapacity(Self.headSize + payload.count + Self.codeSize)
    bytes += [kind.rawValue, 0, 0, 0]
    bytes.append(UInt64(pageSize), count: 4)
    bytes += salt
    bytes += identity
    bytes.append(generation.epoch, count: 8)
    bytes.append(generation.number, count: 8)
    bytes.append(generation.random, count: 8)
    bytes.append(UInt64(sequence), count: 8)
    bytes.append(time, count: 8)
    bytes.append(UInt64(number), count: 8)
    bytes += previous
    bytes += payload
    let code = try key.code(of: bytes)
    bytes += code
    return (bytes, code)
  }

  /// True if the bytes have the form of an object, which any key may have sealed.
  static func isFormed(_ bytes: [UInt8]) -> Bool {
    bytes.count >= headSize + codeSize && bytes.starts(with: magic)
  }

  /// Returns the salt that an object states; nil if the bytes are not an object.
  static func salt(of bytes: [UInt8]) -> [UInt8]? {
    isFormed(bytes) ? Array(bytes[16..<32]) : nil
  }

  /// Returns nil if the bytes are not an object of this key.
  init?(_ bytes: [UInt8], key: BackupKey) throws(DatabaseError) {
    guard Self.isFormed(bytes), let kind = Kind(rawValue: bytes[8]) else { return nil }
    let end = bytes.count - Self.codeSize
    let code = try key.code(of: Array(bytes[..<end]))
    // Compare all bytes, so that the time does not tell how many are right.
    guard zip(code, bytes[end...]).reduce(0 as UInt8, { $0 | ($1.0 ^ $1.1) }) == 0 else {
      return nil
    }
    self.kind = kind
    pageSize = Int(bytes.number(12, 4))
    salt = Array(bytes[16..<32])
    identity = Array(bytes[32..<48])
    generation = Generation(
      epoch: bytes.number(48, 8), number: bytes.number(56, 8), random: bytes.number(64, 8))
    sequence = Int(bytes.number(72, 8))
    time = bytes.number(80, 8)
    number = Int(bytes.number(88, 8))
    previous = Array(bytes[96..<128])
    payload = Array(bytes[Self.headSize..<end])
  }

  init(
    _ kind: Kind, _ number: Int, pageSize: Int, salt: [UInt8], identity: [UInt8],
    _ generation: Generation, sequence: Int, time: UInt64, previous: [UInt8], payload: [UInt8]
  ) {
    (self.kind, self.number, self.pageSize) = (kind, number, pageSize)
    (self.salt, self.identity) = (salt, identity)
    (self.generation, self.sequence, self.time) = (generation, sequence, time)
    (self.previous, self.payload) = (previous, payload)
  }
}

/// Numbers of pages.
struct PageSet: Sendable {
  private var has: [Bool] = []

  func contains(_ page: Int) -> Bool { has.indices.contains(page) && has[page] }

  mutating func insert(_ page: Int, if isMember: Bool = true) {
    if page >= has.count { has += Array(repeating: false, count: page + 1 - has.count) }
    has[page] = isMember
  }
}

/// A chain of objects that begins with a copy of the file. The names of later generations follow in
/// byte order, whatever the clock of the machine says.
struct Generation: Hashable, Sendable {
  /// Numbers beside which an object without a valid code is not believed. Counting does not reach them.
  private static let (epochLimit, numberLimit): (UInt64, UInt64) = (1 << 31, 1 << 47)

  /// The number of times that a copy of the file has taken over the store.
  let epoch: UInt64
  /// Greater than the numbers of all earlier generations, and at least the time of the announcement.
  let number: UInt64
  /// The tag of the key, and a random number, which distinguishes generations that two machines begin
  /// at once.
  let random: UInt64

  init(epoch: UInt64, number: UInt64, random: UInt64) {
    (self.epoch, self.number, self.random) = (epoch, number, random)
  }

  init(epoch: UInt64, number: UInt64, tag: UInt32) {
    let random = UInt64(UInt32.random(in: .min ... .max))
    self.init(epoch: epoch, number: number, random: UInt64(tag) << 32 | random)
  }

  init?(_ text: Substring) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, let epoch = UInt64(digits: parts[0], 8),
      let number = UInt64(digits: parts[1], 12), let random = UInt64(digits: parts[2], 16)
    else { return nil }
    self.init(epoch: epoch, number: number, random: random)
  }

  var name: String { "\(epoch.digits(8))-\(number.digits(12))-\(random.digits(16))" }

  /// The tag of the key that seals the objects.
  var tag: UInt32 { UInt32(truncatingIfNeeded: random >> 32) }

  /// True for numbers that counting reaches.
  var isPlausible: Bool { epoch < Self.epochLimit && number < Self.numberLimit }

  /// The name without its hyphens, as a part of an object's name.
  var digits: String { epoch.digits(8) + number.digits(12) + random.digits(16) }

  init?(digits: String) {
    guard digits.utf8.count == 36 else { return nil }
    let (epoch, rest) = (digits.prefix(8), digits.dropFirst(8))
    self.init("\(epoch)-\(rest.prefix(12))-\(rest.dropFirst(12))")
  }
}

/// The object that announces a generation: a ``BackupObject`` with the time of the announcement.
struct GenerationName: Sendable {
  static let folder = "generations/"
  let generation: Generation
  /// The identity of the file, see ``BackupKey/file(_:salt:)``.
  let file: [UInt8]

  init(_ generation: Generation, _ file: [UInt8]) {
    (self.generation, self.file) = (generation, file)
  }

  init?(_ text: String) {
    guard text.utf8.starts(with: Self.folder.utf8) else { return nil }
    let parts = text.dropFirst(Self.folder.count).split(
      separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 4, let generation = Generation("\(parts[0])-\(parts[1])-\(parts[2])"),
      let file = [UInt8](digits: parts[3])
    else { return nil }
    self.init(generation, file)
  }

  var text: String { "\(Self.folder)\(generation.name)-\(file.digits)" }
}

/// The name of an object. Names alone tell what can be restored; a restore compares each name with
/// the head of its object.
struct ObjectName: Hashable, Sendable {
  let generation: Generation
  let sequence: Int
  let link: String
  let time: UInt64

  init(generation: Generation, sequence: Int, link: String, time: UInt64) {
    (self.generation, self.sequence, self.link, self.time) = (generation, sequence, link, time)
  }

  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let generation = Generation(Substring(parts[0])) else { return nil }
    let words = parts[1].split(separator: "-", omittingEmptySubsequences: false)
    guard words.count == 3, let sequence = UInt64(digits: words[0], 8),
      let time = UInt64(digits: words[2], 12)
    else { return nil }
    self.init(
      generation: generation, sequence: Int(sequence), link: String(words[1]), time: time)
  }

  var text: String {
    "\(generation.name)/\(UInt64(sequence).digits(8))-\(link)-\(time.digits(12))"
  }

  /// True for a part of the file, and false for frames.
  var isPart: Bool { link == "base" || link == "part" }

  /// The sequence number of a moment's base; nil for other objects.
  var base: Int? { UInt64(digits: Substring(link), 8).map { Int($0) } }

  /// The generation that a link continues; nil for other objects.
  var origin: Generation? { Generation(digits: link) }
}

// MARK: - Numbers

extension UInt64 {
  /// Returns lowercase hexadecimal digits.
  func digits(_ count: Int) -> String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: Swift.max(0, count - digits.count)) + digits
  }

  init?(digits: some StringProtocol, _ count: Int) {
    guard digits.utf8.count == count,
      digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 || $0 >= 0x61 && $0 <= 0x66 })
    else { return nil }
    self.init(digits, radix: 16)
  }
}

extension [UInt8] {
  var digits: String { map { UInt64($0).digits(2) }.joined() }

  init?(digits: Substring) {
    let bytes = Array(digits.utf8)
    guard bytes.count == 32 else { return nil }
    self = []
    for index in stride(from: 0, to: 32, by: 2) {
      guard let byte = UInt64(digits: String(decoding: bytes[index...index + 1], as: UTF8.self), 2)
      else { return nil }
      append(UInt8(byte))
    }
  }

  /// Appends a number, the most significant byte first.
  mutating func append(_ number: UInt64, count: Int) {
    for index in (0..<count).reversed() { append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
  }

  func number(_ offset: Int, _ count: Int) -> UInt64 {
    self[offset..<offset + count].reduce(0) { $0 << 8 | UInt64($1) }
  }
}
