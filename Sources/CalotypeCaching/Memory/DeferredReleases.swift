/// Values removed from a ``MemoryTable``, kept until no lock is held. A single value, the common case, needs no array.
struct DeferredReleases: Sendable {
  private var first: MemoryBox?
  private var others: [MemoryBox] = []

  var count: Int { first == nil ? 0 : 1 + others.count }

  mutating func append(_ box: MemoryBox) {
    if first == nil { first = box } else { others.append(box) }
  }
}
