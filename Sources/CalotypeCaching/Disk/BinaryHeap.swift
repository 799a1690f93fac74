/// A queue that gives its least element first. Insertion and removal are O(log n), making one of n elements is O(n).
struct BinaryHeap<Element: Comparable & Sendable>: Sendable {
  private var elements: [Element]

  init(_ elements: [Element] = []) {
    self.elements = elements
    for index in stride(from: elements.count / 2 - 1, through: 0, by: -1) { sink(index) }
  }

  var count: Int { elements.count }

  mutating func insert(_ element: Element) {
    var index = elements.count
    elements.append(element)
    while index > 0, elements[index] < elements[(index - 1) / 2] {
      elements.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Removes the least element; `nil` when there is none.
  mutating func popFirst() -> Element? {
    guard let last = elements.popLast() else { return nil }
    guard let first = elements.first else { return last }
    elements[0] = last
    sink(0)
    return first
  }

  private mutating func sink(_ start: Int) {
    var index = start
    while true {
      var least = index
      let (left, right) = (2 * index + 1, 2 * index + 2)
      if left < elements.count, elements[left] < elements[least] { least = left }
      if right < elements.count, elements[right] < elements[least] { least = right }
      if least == index { return }
      elements.swapAt(index, least)
      index = least
    }
  }
}
