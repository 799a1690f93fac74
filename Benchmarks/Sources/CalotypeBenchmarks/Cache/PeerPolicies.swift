/// Keys in the order they came, oldest first.
private struct KeyList {
  struct Node {
    let key: Int
    let cost: Int
    var previous: Int
    var next: Int
    /// Look-ups since its turn last came.
    var marks = 0
  }

  static let none = -1
  var nodes: [Node] = []
  private(set) var head = none
  private(set) var bytes = 0
  private(set) var count = 0
  private var tail = none
  private var free: [Int] = []

  mutating func append(_ key: Int, cost: Int, marks: Int = 0) -> Int {
    let place = free.popLast() ?? nodes.count
    let node = Node(key: key, cost: cost, previous: tail, next: Self.none, marks: marks)
    if place == nodes.count { nodes.append(node) } else { nodes[place] = node }
    if tail == Self.none { head = place } else { nodes[tail].next = place }
    tail = place
    bytes += cost
    count += 1
    return place
  }

  mutating func remove(_ place: Int) {
    let node = nodes[place]
    if node.previous == Self.none { head = node.next } else { nodes[node.previous].next = node.next }
    if node.next == Self.none { tail = node.previous } else { nodes[node.next].previous = node.previous }
    bytes -= node.cost
    count -= 1
    free.append(place)
  }
}

/// Oldest first, but one that was asked for since its turn came has another (CLOCK).
struct SecondChance: CachePolicy {
  private let capacity: Int
  private var list = KeyList()
  private var places: [Int: Int] = [:]

  init(capacity: Int) {
    self.capacity = capacity
  }

  mutating func request(_ key: Int, cost: Int) -> Bool {
    if let place = places[key] {
      list.nodes[place].marks = 1
      return true
    }
    guard cost <= capacity else { return false }
    while list.bytes > capacity - cost {
      let node = list.nodes[list.head]
      list.remove(list.head)
      places[node.key] = node.marks > 0 ? list.append(node.key, cost: node.cost) : nil
    }
    places[key] = list.append(key, cost: cost)
    return false
  }
}

/// As that, but those who stay keep their place, and the hand moves on (Zhang et al., NSDI 2024).
struct Sieve: CachePolicy {
  private let capacity: Int
  private var list = KeyList()
  private var places: [Int: Int] = [:]
  private var hand = KeyList.none

  init(capacity: Int) {
    self.capacity = capacity
  }

  mutating func request(_ key: Int, cost: Int) -> Bool {
    if let place = places[key] {
      list.nodes[place].marks = 1
      return true
    }
    guard cost <= capacity else { return false }
    while list.bytes > capacity - cost {
      var place = hand == KeyList.none ? list.head : hand
      while list.nodes[place].marks > 0 {
        list.nodes[place].marks = 0
        place = list.nodes[place].next
        if place == KeyList.none { place = list.head }
      }
      hand = list.nodes[place].next
      places[list.nodes[place].key] = nil
      list.remove(place)
    }
    places[key] = list.append(key, cost: cost)
    return false
  }
}

/// New ones in a small queue, a tenth; those asked for there, or again soon after, in a large one (Yang et al., SOSP
/// 2023).
struct S3FIFO: CachePolicy {
  private enum Place {
    case small(Int), main(Int)
  }

  private let capacity: Int
  private var small = KeyList()
  private var main = KeyList()
  private var ghosts = KeyList()
  private var places: [Int: Place] = [:]
  private var ghostPlaces: [Int: Int] = [:]

  init(capacity: Int) {
    self.capacity = capacity
  }

  mutating func request(_ key: Int, cost: Int) -> Bool {
    switch places[key] {
    case .small(let place)?:
      small.nodes[place].marks = min(3, small.nodes[place].marks + 1)
      return true
    case .main(let place)?:
      main.nodes[place].marks = min(3, main.nodes[place].marks + 1)
      return true
    case nil: break
    }
    guard cost <= capacity else { return false }
    let wasHere = ghostPlaces.removeValue(forKey: key)
    if let wasHere { ghosts.remove(wasHere) }
    while small.bytes + main.bytes > capacity - cost { evict() }
    if wasHere != nil {
      places[key] = .main(main.append(key, cost: cost))
    } else {
      places[key] = .small(small.append(key, cost: cost))
    }
    return false
  }

  private mutating func evict() {
    if main.count == 0 || small.count > 0 && small.bytes >= capacity / 10 {
      while small.count > 0 {
        let node = small.nodes[small.head]
        small.remove(small.head)
        if node.marks > 1 {
          places[node.key] = .main(main.append(node.key, cost: node.cost))
        } else {
          places[node.key] = nil
          return remember(node)
        }
      }
    }
    while main.count > 0 {
      let node = main.nodes[main.head]
      main.remove(main.head)
      guard node.marks > 0 else { return places[node.key] = nil }
      places[node.key] = .main(main.append(node.key, cost: node.cost, marks: node.marks - 1))
    }
  }

  private mutating func remember(_ node: KeyList.Node) {
    ghostPlaces[node.key] = ghosts.append(node.key, cost: node.cost)
    while ghosts.bytes > capacity / 10 * 9, ghosts.head != KeyList.none {
      ghostPlaces[ghosts.nodes[ghosts.head].key] = nil
      ghosts.remove(ghosts.head)
    }
  }
}
