/// Memory with rows. The type is not generic, because unspecialized code looks up generic types.
private struct Chunk {
  let start: UnsafeMutableRawPointer
  let count: Int
}

/// Reads rows into raw memory, and then moves them into arrays.
///
/// An array is slower here: in unspecialized generic code, each append looks up the array's type.
struct RowBuffer<Row>: ~Copyable {
  // A full chunk stays in place, and a new chunk is allocated.
  private var full: [Chunk] = []
  private var start: UnsafeMutablePointer<Row>
  private var next: UnsafeMutableRawPointer
  private var capacity: Int
  private var filled = 0

  init(capacity: Int = 16) {
    self.capacity = max(1, capacity)
    start = .allocate(capacity: self.capacity)
    next = UnsafeMutableRawPointer(start)
  }

  deinit {
    for chunk in chunks {
      chunk.start.assumingMemoryBound(to: Row.self).deinitialize(count: chunk.count)
      chunk.start.deallocate()
    }
  }

  private var chunks: [Chunk] { full + [Chunk(start: start, count: filled)] }

  var count: Int { full.reduce(filled) { $0 + $1.count } }

  @inline(__always)
  mutating func append(
    _ make: (UnsafeMutableRawPointer) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    if filled == capacity { grow() }
    try make(next)
    next += MemoryLayout<Row>.stride
    filled += 1
  }

  private mutating func grow() {
    full.append(Chunk(start: start, count: filled))
    capacity *= 2
    start = .allocate(capacity: capacity)
    next = UnsafeMutableRawPointer(start)
    filled = 0
  }

  private mutating func empty(_ body: (UnsafeMutablePointer<Row>, _ count: Int) -> Void) {
    for chunk in chunks { body(chunk.start.assumingMemoryBound(to: Row.self), chunk.count) }
    for chunk in full { chunk.start.deallocate() }
    full = []
    next = UnsafeMutableRawPointer(start)
    filled = 0
  }

  mutating func take() -> [Row] {
    let count = count
    return Array(unsafeUninitializedCapacity: count) { array, initialized in
      guard var target = array.baseAddress else { return }
      empty { rows, count in
        target.moveInitialize(from: rows, count: count)
        target += count
      }
      initialized = count
    }
  }

  mutating func take(by groups: [Int?], count: Int) -> [[Row]] {
    // The start of each group in the sorted rows.
    var places = Array(repeating: 0, count: count + 1)
    for case let group? in groups { places[group + 1] += 1 }
    for group in 0..<count { places[group + 1] += places[group] }
    let starts = places
    let sorted = UnsafeMutablePointer<Row>.allocate(capacity: max(1, starts[count]))
    defer { sorted.deallocate() }
    var index = 0
    empty { rows, count in
      for row in 0..<count {
        if let group = groups[index] {
          (sorted + places[group]).moveInitialize(from: rows + row, count: 1)
          places[group] += 1
        } else {
          (rows + row).deinitialize(count: 1)
        }
        index += 1
      }
    }
    return (0..<count).map { group in
      let rows = starts[group + 1] - starts[group]
      return Array(unsafeUninitializedCapacity: rows) { array, initialized in
        array.baseAddress?.moveInitialize(from: sorted + starts[group], count: rows)
        initialized = rows
      }
    }
  }
}

struct KeyedRows<Row>: ~Copyable {
  var rows = RowBuffer<Row>()
  var keys: [[DatabaseValue]] = []
}
