/// What the text of a statement is made of, as words that stand in a buffer of the cache's: from equal ones
/// the same text would be made, so that its statement is found without the text.
///
/// A text stands for itself by where it lies, and short ones by what they say: two that are equal may have
/// different words, and different ones never the same, as long as both are there. So the cache keeps what
/// the words were made of.
struct StatementShape {
  private let words: UnsafeMutableBufferPointer<UInt>
  private(set) var count = 0
  private(set) var hash: UInt = 0
  /// Whether there was room for all of it.
  private(set) var isWhole = true

  init(_ words: UnsafeMutableBufferPointer<UInt>) { self.words = words }

  var content: UnsafeBufferPointer<UInt> { UnsafeBufferPointer(rebasing: words[..<count]) }

  mutating func add(_ word: UInt) {
    guard count < words.count else {
      isWhole = false
      return
    }
    words[count] = word
    count &+= 1
    hash = (hash ^ word) &* UInt(truncatingIfNeeded: 0x9e37_79b9_7f4a_7c15 as UInt64)
    hash ^= hash >> 29
  }

  mutating func add(_ object: AnyObject) { add(UInt(bitPattern: ObjectIdentifier(object))) }

  mutating func add(_ text: String) {
    // Two words: the bytes themselves, or where they are and how many there are. The storage of one that is
    // kept by somebody else too is never written to.
    guard MemoryLayout<String>.size == 2 * MemoryLayout<UInt>.size else {
      isWhole = false
      return
    }
    // A String has the size of two words, and its bits are only read.
    let (first, second) = unsafeBitCast(text, to: (UInt, UInt).self)
    add(first)
    add(second)
  }
}

/// The statements of a cache by the shapes of what was asked for twice.
struct ShapedStatements: ~Copyable {
  private final class Entry {
    let words: [UInt]
    let statement: PreparedStatement
    /// What the words stand for.
    private let kept: any Sendable

    init(_ shape: StatementShape, _ statement: PreparedStatement, keeping kept: any Sendable) {
      (words, self.statement, self.kept) = (Array(shape.content), statement, kept)
    }
  }

  private static let capacity = 128
  private let buffer = UnsafeMutableBufferPointer<UInt>.allocate(capacity: 256)
  private var entries = [Entry?](repeating: nil, count: capacity)
  /// The hashes of what was asked for once.
  private var seen = [UInt](repeating: 0, count: capacity)

  init() {}

  deinit { buffer.deallocate() }

  /// An empty shape. There is one at a time.
  var shape: StatementShape { StatementShape(buffer) }

  private static func place(_ shape: StatementShape) -> Int {
    Int(truncatingIfNeeded: shape.hash >> 57) & (capacity - 1)
  }

  func statement(of shape: StatementShape) -> PreparedStatement? {
    guard let entry = entries[Self.place(shape)], entry.words.count == shape.count else {
      return nil
    }
    let content = shape.content
    for index in content.indices where content[index] != entry.words[index] { return nil }
    return entry.statement
  }

  /// Returns whether a shape is there for the second time: many never come again.
  mutating func isSecond(_ shape: StatementShape) -> Bool {
    let place = Self.place(shape)
    defer { seen[place] = shape.hash }
    return seen[place] == shape.hash
  }

  /// Notes the statement of a shape.
  /// - Parameter kept: What the shape's words stand for.
  mutating func note(
    _ shape: StatementShape, _ statement: PreparedStatement, keeping kept: any Sendable
  ) {
    entries[Self.place(shape)] = Entry(shape, statement, keeping: kept)
  }

  /// Forgets a statement.
  mutating func remove(_ statement: PreparedStatement) {
    for place in entries.indices where entries[place]?.statement === statement {
      entries[place] = nil
    }
  }

  mutating func removeAll() { entries = Array(repeating: nil, count: Self.capacity) }
}
