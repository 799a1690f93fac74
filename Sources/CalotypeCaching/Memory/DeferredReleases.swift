/// Values that left a ``MemoryTable``, kept until no lock is held. Most often it is one: that needs no array.
struct DeferredReleases: Sendable {
  private var first: MemoryTable.Box?
  private var others: [MemoryTable.Box] = []

  var count: Int { first == nil ? 0 : 1 + others.count }

  mutating func append(_ box: MemoryTable.Box) {
    if first == nil { first = box } else { others.append(box) }
  }
}
