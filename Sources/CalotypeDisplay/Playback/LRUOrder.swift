import Calotype

/// An order by last use. Operations take O(1), amortised: entries of earlier uses are skipped when their
/// turn comes.
struct LRUOrder<Element: Hashable> {
  private var entries: [(element: Element, stamp: Int)] = []
  private var head = 0
  private var stamps: [Element: Int] = [:]
  private var stamp = 0

  /// Marks an element as the most recently used.
  mutating func use(_ element: Element) {
    stamp += 1
    stamps[element] = stamp
    entries.append((element, stamp))
    if entries.count - head > 2 * stamps.count + 64 || head > entries.count / 2 + 64 { forgetOld() }
  }

  mutating func remove(_ element: Element) {
    stamps[element] = nil
  }

  /// Removes and returns the least recently used element that may be removed. Elements before it that may
  /// not count as used now.
  mutating func takeOldest(where mayGo: (Element) -> Bool) -> Element? {
    for _ in 0..<stamps.count {
      while head < entries.count, stamps[entries[head].element] != entries[head].stamp { head += 1 }
      guard head < entries.count else { return nil }
      let element = entries[head].element
      head += 1
      if mayGo(element) {
        stamps[element] = nil
        return element
      }
      use(element)
    }
    return nil
  }

  private mutating func forgetOld() {
    entries = entries[head...].filter { stamps[$0.element] == $0.stamp }
    head = 0
  }
}
