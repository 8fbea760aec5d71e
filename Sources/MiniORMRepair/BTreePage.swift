import MiniORM

/// A b-tree page that may be damaged: every offset is checked.
///
/// See [B-tree Pages](https://www.sqlite.org/fileformat2.html#b_tree_pages).
struct BTreePage {
  enum Kind: UInt8 {
    case indexInterior = 2
    case tableInterior = 5
    case indexLeaf = 10
    case tableLeaf = 13
  }

  struct Payload {
    let size: Int
    let local: Range<Int>
    /// The first overflow page; nil if this page holds the whole payload.
    let overflow: Int?
  }

  let kind: Kind
  let bytes: [UInt8]
  let cellCount: Int
  /// The right-most child of an interior page; 0 for a leaf.
  let rightChild: Int
  private let pointers: Int

  init?(_ bytes: [UInt8], isFirst: Bool) {
    let header = isFirst ? 100 : 0
    guard bytes.count > header + 12, let kind = Kind(rawValue: bytes[header]),
      let count = bytes.number(at: header + 3, count: 2)
    else { return nil }
    let isLeaf = kind == .indexLeaf || kind == .tableLeaf
    pointers = header + (isLeaf ? 8 : 12)
    guard pointers + 2 * count <= bytes.count else { return nil }
    (self.kind, self.bytes, cellCount) = (kind, bytes, count)
    rightChild = isLeaf ? 0 : bytes.number(at: header + 8, count: 4) ?? 0
    for index in 0..<count {
      guard let cell = cell(index), cell >= pointers + 2 * count, cell < bytes.count else {
        return nil
      }
    }
  }

  var isLeaf: Bool { kind == .indexLeaf || kind == .tableLeaf }
  var isTable: Bool { kind == .tableInterior || kind == .tableLeaf }

  private func cell(_ index: Int) -> Int? { bytes.number(at: pointers + 2 * index, count: 2) }

  func child(_ index: Int) -> Int? { cell(index).flatMap { bytes.number(at: $0, count: 4) } }

  func rowID(_ index: Int) -> Int64? {
    guard let cell = cell(index) else { return nil }
    switch kind {
    case .tableInterior: return bytes.varint(at: cell + 4).map { Int64(bitPattern: $0.value) }
    case .tableLeaf:
      guard let size = bytes.varint(at: cell) else { return nil }
      return bytes.varint(at: size.next).map { Int64(bitPattern: $0.value) }
    case .indexLeaf, .indexInterior: return nil
    }
  }

  /// Returns a cell's payload; nil on an interior table page, whose cells have none.
  func payload(_ index: Int) -> Payload? {
    guard var start = cell(index), kind != .tableInterior else { return nil }
    if kind == .indexInterior { start += 4 }
    guard let (count, next) = bytes.varint(at: start), let size = Int(exactly: count),
      size <= 1 << 31
    else { return nil }
    start = next
    if kind == .tableLeaf {
      guard let rowID = bytes.varint(at: start) else { return nil }
      start = rowID.next
    }
    let usable = bytes.count
    let longest = kind == .tableLeaf ? usable - 35 : (usable - 12) * 64 / 255 - 23
    guard size > longest else {
      guard start + size <= usable else { return nil }
      return Payload(size: size, local: start..<start + size, overflow: nil)
    }
    let least = (usable - 12) * 32 / 255 - 23
    let fitting = least + (size - least) % (usable - 4)
    let local = fitting <= longest ? fitting : least
    guard start + local + 4 <= usable,
      let overflow = bytes.number(at: start + local, count: 4), overflow > 0
    else { return nil }
    return Payload(size: size, local: start..<start + local, overflow: overflow)
  }
}

/// A value as stored in the file. Text may be in any encoding, and may be invalid.
enum StoredValue: Hashable {
  case null
  case integer(Int64)
  case real(UInt64)
  case text([UInt8])
  case blob([UInt8])

  /// Decodes a record; nil if the bytes are not a valid record.
  ///
  /// See [Record Format](https://www.sqlite.org/fileformat2.html#record_format).
  static func record(_ bytes: [UInt8]) -> [StoredValue]? {
    guard let (size, first) = bytes.varint(at: 0), let end = Int(exactly: size),
      end >= first, end <= bytes.count
    else { return nil }
    var (values, header, body): ([StoredValue], Int, Int) = ([], first, end)
    while header < end {
      guard let (type, next) = bytes.varint(at: header), next <= end else { return nil }
      header = next
      let count: Int
      switch type {
      case 0, 8, 9: count = 0
      case 1...4: count = Int(type)
      case 5: count = 6
      case 6, 7: count = 8
      case 10, 11: return nil
      default:
        guard let exact = Int(exactly: (type - 12) / 2) else { return nil }
        count = exact
      }
      guard count <= bytes.count - body else { return nil }
      let part = bytes[body..<body + count]
      body += count
      switch type {
      case 0: values.append(.null)
      case 8, 9: values.append(.integer(Int64(type) - 8))
      case 7: values.append(.real(part.reduce(0) { $0 << 8 | UInt64($1) }))
      case 1...6:
        let negative: UInt64 = part.first.map { $0 >= 0x80 } ?? false ? .max : 0
        values.append(.integer(Int64(bitPattern: part.reduce(negative) { $0 << 8 | UInt64($1) })))
      default: values.append(type % 2 == 0 ? .blob(Array(part)) : .text(Array(part)))
      }
    }
    return body == bytes.count ? values : nil
  }
}

extension [UInt8] {
  /// Decodes a variable-length integer, and returns the index after it.
  func varint(at index: Int) -> (value: UInt64, next: Int)? {
    var value: UInt64 = 0
    for offset in 0..<9 {
      guard index >= 0, index + offset < count else { return nil }
      let byte = self[index + offset]
      if offset == 8 { return (value << 8 | UInt64(byte), index + 9) }
      value = value << 7 | UInt64(byte & 0x7f)
      if byte < 0x80 { return (value, index + offset + 1) }
    }
    return nil
  }
}
