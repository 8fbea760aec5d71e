/// The objects of a store while attacks change them.
struct Damage {
  var random: AttackRandom
  var objects: [String: [UInt8]]
  let journal: [(name: String, bytes: [UInt8]?)]
  let other: [String: [UInt8]]
  var later: [String: [UInt8]] = [:]
  var isReversed = false
  var descriptions: [String] = []

  /// Does nothing if the store has too few objects for the attack.
  mutating func apply(_ attack: Attack) {
    let names = objects.keys.sorted()
    guard let name = names.randomElement(using: &random), let bytes = objects[name] else { return }
    let partner = neighbors(of: name, among: names).randomElement(using: &random)
    var changed = [name]
    switch attack {
    case .drop: objects[name] = nil
    case .swap:
      guard let partner else { return }
      (objects[name], objects[partner]) = (objects[partner], bytes)
      changed.append(partner)
    case .truncate:
      guard !bytes.isEmpty else { return }
      objects[name] = Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &random)))
    case .extend:
      // Zeros, or the beginning again, which may look like a record.
      let count = Int.random(in: 1...max(1, min(bytes.count, 5_000)), using: &random)
      let repeats = Bool.random(using: &random) && !bytes.isEmpty
      objects[name] = bytes + (repeats ? Array(bytes[..<count]) : Array(repeating: 0, count: count))
    case .flip:
      guard let flipped = flipped(bytes) else { return }
      objects[name] = flipped
    case .duplicate:
      let copy = partner.flatMap { Bool.random(using: &random) ? $0 : nil } ?? following(name)
      objects[copy] = bytes
      changed.append(copy)
    case .reorder:
      let run = neighbors(of: name, among: names) + [name]
      if run.count < 3 || Int.random(in: 0..<4, using: &random) == 0 {
        isReversed = true
        changed = ["the list"]
        break
      }
      changed = Array(run.sorted().prefix(Int.random(in: 3...run.count, using: &random)))
      let contents = changed.map { objects[$0] }
      for (index, target) in changed.enumerated() {
        objects[target] = contents[(index + 1) % contents.count]
      }
    case .rollBack:
      guard !journal.isEmpty else { return }
      let end = Int.random(in: 0..<journal.count, using: &random)
      for change in journal { objects[change.name] = nil }
      for change in journal[..<end] { objects[change.name] = change.bytes }
      changed = ["after change \(end) of \(journal.count)"]
    case .replace:
      // The other store's object of the same name is the most credible.
      guard let foreign = other[name] ?? other.sorted(by: { $0.key < $1.key }).first?.value
      else { return }
      objects[name] = foreign
    case .alternate:
      guard let flipped = flipped(bytes) else { return }
      later[name] = flipped
    }
    descriptions.append("\(attack): \(changed.joined(separator: ", "))")
  }

  private mutating func flipped(_ bytes: [UInt8]) -> [UInt8]? {
    guard !bytes.isEmpty else { return nil }
    var bytes = bytes
    bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
      1 << UInt8.random(in: 0...7, using: &random)
    return bytes
  }

  /// The other objects of the same folder or, if there are none, of all folders.
  private func neighbors(of name: String, among names: [String]) -> [String] {
    func folder(_ name: String) -> Substring {
      name[..<(name.lastIndex(of: "/") ?? name.startIndex)]
    }
    let others = names.filter { $0 != name }
    let near = others.filter { folder($0) == folder(name) }
    return near.isEmpty ? others : near
  }

  /// The name with the number at its end increased by one, for example `log/0007` for `log/0006`.
  private func following(_ name: String) -> String {
    var bytes = Array(name.utf8)
    for index in bytes.indices.reversed() {
      switch bytes[index] {
      case UInt8(ascii: "0")..<UInt8(ascii: "9"):
        bytes[index] += 1
        return String(decoding: bytes, as: UTF8.self)
      case UInt8(ascii: "9"): bytes[index] = UInt8(ascii: "0")
      default: return name + "-1"
      }
    }
    return name + "-1"
  }
}
