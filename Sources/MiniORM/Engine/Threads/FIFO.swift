struct FIFO<Element> {
  private var places: [Element?] = []
  private var head = 0

  var isEmpty: Bool { head == places.count }
  var count: Int { places.count - head }
  var first: Element? { isEmpty ? nil : places[head] }

  mutating func append(_ element: Element) { places.append(element) }

  /// - Complexity: O(1) amortized.
  mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    let first = places[head]
    places[head] = nil
    head += 1
    if isEmpty {
      places.removeAll(keepingCapacity: head <= 64)
      head = 0
    } else if head >= 64, head * 2 >= places.count {
      places.removeFirst(head)
      head = 0
    }
    return first
  }

  var elements: [Element] { places.compactMap(\.self) }
}
