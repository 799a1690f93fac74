/// Which entries of a ``MemoryCache`` were made from the same source: a list through the entries, and its text once.
struct SourceIndex: Sendable {
  /// Text that is compared byte by byte, as keys are, and hashed once.
  struct Name: Sendable {
    let text: String
    /// Seeded anew in every process: nobody can choose texts that fall together.
    fileprivate let hash: Int

    init(_ text: String) {
      var hasher = Hasher()
      var bytes = text
      bytes.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
      self.text = text
      hash = hasher.finalize()
    }
  }

  private struct Group: Sendable {
    var name: Name
    var head: Int32
    /// Another group whose name has the same hash.
    var twin: Int32 = none
  }

  private struct Link: Sendable {
    var group: Int32 = none
    var previous: Int32 = none
    var next: Int32 = none
  }

  private static let none: Int32 = -1
  private static let noName = Name("")

  /// By the hash of the name.
  private var first: [Int: Int32] = [:]
  private var groups: [Group] = []
  private var free: [Int32] = []
  /// By node.
  private var links: [Link] = []

  /// Adds the entry at a node; O(1).
  mutating func insert(_ node: Int, source name: Name) {
    while links.count <= node { links.append(Link()) }
    let place = Int32(truncatingIfNeeded: node)
    if let group = group(name) {
      let head = groups[group].head
      links[node] = Link(group: Int32(truncatingIfNeeded: group), next: head)
      links[Int(head)].previous = place
      groups[group].head = place
    } else {
      let group = free.popLast() ?? Int32(truncatingIfNeeded: groups.count)
      let new = Group(name: name, head: place, twin: first.updateValue(group, forKey: name.hash) ?? Self.none)
      if Int(group) == groups.count { groups.append(new) } else { groups[Int(group)] = new }
      links[node] = Link(group: group)
    }
  }

  /// The source of the entry at a node.
  func name(of node: Int) -> Name { groups[Int(links[node].group)].name }

  /// Takes the entry at a node out; O(1).
  mutating func remove(_ node: Int) {
    let link = links[node]
    let group = Int(link.group)
    links[node] = Link()
    if link.next != Self.none { links[Int(link.next)].previous = link.previous }
    if link.previous != Self.none {
      links[Int(link.previous)].next = link.next
    } else if link.next != Self.none {
      groups[group].head = link.next
    } else {
      removeGroup(link.group)
    }
  }

  /// The nodes of a source; O(their number).
  func nodes(of source: String) -> [Int] {
    group(Name(source)).map { nodes(ofGroup: $0) } ?? []
  }

  /// The nodes of all sources that `isWanted` takes; O(sources).
  func nodes(where isWanted: (String) -> Bool) -> [Int] {
    groups.indices.filter { groups[$0].head != Self.none && isWanted(groups[$0].name.text) }
      .flatMap { nodes(ofGroup: $0) }
  }

  private func group(_ name: Name) -> Int? {
    var group = first[name.hash] ?? Self.none
    while group != Self.none {
      if groups[Int(group)].name.text.utf8.elementsEqual(name.text.utf8) { return Int(group) }
      group = groups[Int(group)].twin
    }
    return nil
  }

  private mutating func removeGroup(_ group: Int32) {
    let hash = groups[Int(group)].name.hash
    let twin = groups[Int(group)].twin
    if first[hash] == group {
      first[hash] = twin == Self.none ? nil : twin
    } else if var other = first[hash] {
      while groups[Int(other)].twin != group { other = groups[Int(other)].twin }
      groups[Int(other)].twin = twin
    }
    groups[Int(group)] = Group(name: Self.noName, head: Self.none)
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
