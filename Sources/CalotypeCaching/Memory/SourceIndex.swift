/// Which entries of a ``MemoryCache`` were made from the same source: a list through the entries, and its text once.
struct SourceIndex: Sendable {
  /// Text that is compared byte by byte, as keys are.
  private struct Name: Hashable, Sendable {
    let text: String

    static func == (left: Name, right: Name) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    func hash(into hasher: inout Hasher) {
      var text = text
      text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
  }

  private struct Group: Sendable {
    var name: Name
    var head: Int32
  }

  private struct Link: Sendable {
    var group: Int32 = none
    var previous: Int32 = none
    var next: Int32 = none
  }

  private static let none: Int32 = -1

  private var byName: [Name: Int32] = [:]
  private var groups: [Group] = []
  private var free: [Int32] = []
  /// By node.
  private var links: [Link] = []

  /// Adds the entry at a node; O(1).
  mutating func insert(_ node: Int, source: String) {
    while links.count <= node { links.append(Link()) }
    let name = Name(text: source)
    let place = Int32(truncatingIfNeeded: node)
    guard let group = byName[name] else {
      let group = free.popLast() ?? Int32(truncatingIfNeeded: groups.count)
      let new = Group(name: name, head: place)
      if Int(group) == groups.count { groups.append(new) } else { groups[Int(group)] = new }
      byName[name] = group
      links[node] = Link(group: group)
      return
    }
    let head = groups[Int(group)].head
    links[node] = Link(group: group, next: head)
    links[Int(head)].previous = place
    groups[Int(group)].head = place
  }

  /// Takes the entry at a node out; O(1).
  /// - Returns: Its source.
  @discardableResult
  mutating func remove(_ node: Int) -> String {
    let link = links[node]
    let group = Int(link.group)
    let name = groups[group].name
    links[node] = Link()
    if link.next != Self.none { links[Int(link.next)].previous = link.previous }
    if link.previous != Self.none {
      links[Int(link.previous)].next = link.next
    } else if link.next != Self.none {
      groups[group].head = link.next
    } else {
      byName[name] = nil
      groups[group] = Group(name: Name(text: ""), head: Self.none)
      free.append(link.group)
    }
    return name.text
  }

  /// The nodes of a source; O(their number).
  func nodes(of source: String) -> [Int] {
    byName[Name(text: source)].map { nodes(ofGroup: $0) } ?? []
  }

  /// The nodes of all sources that `isWanted` takes; O(sources).
  func nodes(where isWanted: (String) -> Bool) -> [Int] {
    byName.filter { isWanted($0.key.text) }.flatMap { nodes(ofGroup: $0.value) }
  }

  private func nodes(ofGroup group: Int32) -> [Int] {
    var result: [Int] = []
    var node = groups[Int(group)].head
    while node != Self.none {
      result.append(Int(node))
      node = links[Int(node)].next
    }
    return result
  }
}
