/// Groups the entries of a ``MemoryCache`` by source: a linked list through the entries, and each text once.
struct SourceIndex: Sendable {
  private struct Group: Sendable {
    /// The texts of one of its keys; `nil` in a free slot.
    var words: CacheKeyText?
    var head: Int32
    /// The lower half of the hash.
    var hash: UInt32
  }

  private struct Link: Sendable {
    var group: Int32 = none
    var previous: Int32 = none
    var next: Int32 = none
  }

  /// A slot of the table of groups.
  private struct Slot: Sendable {
    var group: Int32 = none
    /// The hash of the group's source, which rules out most other groups.
    var hash: UInt32 = 0
  }

  private static let none: Int32 = -1

  /// Open addressing by hash with linear probing; at most half full.
  private var slots = Array(repeating: Slot(), count: 16)
  private var groups: [Group] = []
  private var free: [Int32] = []
  /// Indexed by node.
  private var links: [Link] = []

  /// Adds the entry at a node; O(1).
  mutating func insert(_ node: Int, _ words: CacheKeyText) {
    while links.count <= node { links.append(Link()) }
    let place = Int32(truncatingIfNeeded: node)
    var slot = slot(of: words)
    guard slots[slot].group == Self.none else {
      let group = Int(slots[slot].group)
      let head = groups[group].head
      links[node] = Link(group: slots[slot].group, next: head)
      links[Int(head)].previous = place
      groups[group].head = place
      return
    }
    if (groups.count - free.count + 1) * 2 > slots.count {
      grow()
      slot = self.slot(of: words)
    }
    let hash = UInt32(truncatingIfNeeded: words.sourceHash)
    let new = Group(words: words, head: place, hash: hash)
    let group: Int32
    if let reused = free.popLast() {
      group = reused
      groups[Int(group)] = new
    } else {
      group = Int32(truncatingIfNeeded: groups.count)
      groups.append(new)
    }
    links[node] = Link(group: group)
    slots[slot] = Slot(group: group, hash: hash)
  }

  /// The texts of a key with the source of the entry at a node.
  func words(of node: Int) -> CacheKeyText? { groups[Int(links[node].group)].words }

  /// Removes the entry at a node; O(1).
  mutating func remove(_ node: Int) {
    let link = links[node]
    links[node] = Link()
    if link.next != Self.none { links[Int(link.next)].previous = link.previous }
    if link.previous != Self.none {
      links[Int(link.previous)].next = link.next
    } else if link.next != Self.none {
      groups[Int(link.group)].head = link.next
    } else {
      removeGroup(link.group)
    }
  }

  /// Returns the nodes of a source; O(their number).
  func nodes(of source: String) -> [Int] {
    let group = slots[slot(of: CacheKeyText(text: source, source: source))].group
    return group == Self.none ? [] : nodes(ofGroup: Int(group))
  }

  /// Returns the nodes of all sources that `isWanted` accepts; O(sources).
  func nodes(where isWanted: (String) -> Bool) -> [Int] {
    groups.indices.filter { groups[$0].words.map { isWanted($0.source) } ?? false }
      .flatMap { nodes(ofGroup: $0) }
  }

  /// The slot of a source's group, or the free slot where it would be.
  private func slot(of words: CacheKeyText) -> Int {
    let hash = UInt32(truncatingIfNeeded: words.sourceHash)
    var slot = Int(hash) & (slots.count - 1)
    while slots[slot].group != Self.none {
      if slots[slot].hash == hash, groups[Int(slots[slot].group)].words?.hasSameSource(as: words) == true {
        break
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    return slot
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: Slot(), count: old.count * 2)
    for entry in old where entry.group != Self.none {
      var slot = Int(entry.hash) & (slots.count - 1)
      while slots[slot].group != Self.none { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = entry
    }
  }

  private mutating func removeGroup(_ group: Int32) {
    let mask = slots.count - 1
    var hole = Int(groups[Int(group)].hash) & mask
    while slots[hole].group != group { hole = (hole + 1) & mask }
    // Close the gap, so that no chain is cut.
    var next = (hole + 1) & mask
    while slots[next].group != Self.none {
      let home = Int(slots[next].hash) & mask
      if (next &- home) & mask >= (next &- hole) & mask {
        slots[hole] = slots[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    slots[hole] = Slot()
    groups[Int(group)] = Group(words: nil, head: Self.none, hash: 0)
    free.append(group)
  }

  private func nodes(ofGroup group: Int) -> [Int] {
    var result: [Int] = []
    var node = groups[group].head
    while node != Self.none {
      result.append(Int(node))
      node = links[Int(node)].next
    }
    return result
  }
}
