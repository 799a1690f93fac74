import HeapModule

/// A queue of waiting work, shared fairly among flows: a flow is a tenant, an origin, or both. A pure
/// value.
///
/// Among flows the most urgent head goes first, and among equals the flow that has been served least:
/// start-time fair queueing (Goyal, Vin and Cheng, 1996), so that a flow with thousands of waiting entries
/// delays another by one turn. Within a flow the most urgent goes first, and among equals the one with the
/// smallest `arrival + 8 × cost`: cheap work overtakes expensive work, but expensive work is overtaken for
/// no longer than eight times its own cost. One turn in eight goes to the oldest entry of all, which
/// prevents starvation of low priorities.
///
/// All operations take O(log n), amortised, and O(places) more when flows have reached their share.
struct FairQueue<Flow: Hashable & Sendable>: Sendable {
  /// A place in the queue; the largest goes first.
  private struct Entry: Comparable, Sendable {
    let level: UInt8
    let rank: Int64
    let id: Int
    let stamp: Int

    static func < (left: Entry, right: Entry) -> Bool {
      (left.level, right.rank, right.id) < (right.level, left.rank, left.id)
    }
  }

  /// The first entry of a flow, as registered in the order of flows.
  private struct Head: Comparable, Sendable {
    let level: UInt8
    let tag: Int64
    let id: Int
    let flow: Flow

    static func < (left: Head, right: Head) -> Bool {
      (left.level, right.tag, right.id) < (right.level, left.tag, left.id)
    }
    static func == (left: Head, right: Head) -> Bool {
      (left.level, left.tag, left.id) == (right.level, right.tag, right.id)
    }
  }

  private struct Line: Sendable {
    var entries = Heap<Entry>()
    var waiting = 0
    var running = 0
    /// The start of the flow's next entry in virtual time.
    var tag: Int64
    /// The head registered in the order of flows.
    var head: Head?
  }

  private struct Place: Sendable {
    let flow: Flow
    let cost: Int64
    let rank: Int64
    var level: UInt8
    var stamp: Int
  }

  /// The multiple of its cost for which an entry may be overtaken.
  static var patience: Int64 { 8 }
  /// The interval of turns that go to the oldest entry.
  static var turnOfTheOldest: Int { 8 }

  private var lines: [Flow: Line] = [:]
  private var heads = Heap<Head>()
  private var places: [Int: Place] = [:]
  private var arrivals: [Int] = []
  private var firstArrival = 0
  private var virtualTime: Int64 = 0
  /// The number of turns since the last one that went to the oldest.
  private var turnsOfOthers = 0
  private var stamp = 0
  /// The number of flows at which flows without work are forgotten.
  private var sweepCount = 1024

  /// The number of waiting entries.
  var count: Int { places.count }
  /// The number of known flows.
  var flowCount: Int { lines.count }
  /// Returns the number of waiting entries of a flow.
  func waiting(in flow: Flow) -> Int { lines[flow]?.waiting ?? 0 }
  /// Returns the number of running entries of a flow.
  func running(in flow: Flow) -> Int { lines[flow]?.running ?? 0 }
  /// Returns whether an entry waits.
  func contains(_ id: Int) -> Bool { places[id] != nil }

  /// Adds an entry.
  ///
  /// - Parameters:
  ///   - id: A number larger than those of all entries before.
  ///   - flow: The flow of the entry.
  ///   - level: The priority level; larger goes first.
  ///   - cost: The predicted duration in nanoseconds.
  ///   - now: The time in nanoseconds since any fixed moment.
  mutating func insert(_ id: Int, flow: Flow, level: UInt8, cost: Int64, now: Int64) {
    let cost = min(max(cost, 1), 1 << 50)
    stamp += 1
    let place = Place(
      flow: flow, cost: cost, rank: now &+ Self.patience * cost, level: level, stamp: stamp)
    places[id] = place
    arrivals.append(id)
    var line = lines.removeValue(forKey: flow) ?? Line(tag: virtualTime)
    if line.waiting == 0 { line.tag = max(line.tag, virtualTime) }
    line.waiting += 1
    line.entries.insert(Entry(level: level, rank: place.rank, id: id, stamp: stamp))
    announce(&line, of: flow)
    lines[flow] = line
  }

  /// Changes the level of an entry.
  mutating func move(_ id: Int, to level: UInt8) {
    guard var place = places[id], place.level != level else { return }
    stamp += 1
    place.level = level
    place.stamp = stamp
    places[id] = place
    let entry = Entry(level: level, rank: place.rank, id: id, stamp: stamp)
    change(place.flow) { $0.entries.insert(entry) }
  }

  /// Removes an entry. Returns false if it does not wait.
  @discardableResult mutating func remove(_ id: Int) -> Bool {
    guard let place = places.removeValue(forKey: id) else { return false }
    change(place.flow) { $0.waiting -= 1 }
    forgetOldArrivals()
    return true
  }

  /// Gives the next entry a turn.
  ///
  /// - Parameters:
  ///   - first: An entry to try before all others, such as the one that keeps others back: the search must not end before
  ///     it was tried.
  ///   - mayRun: Returns whether a flow may have another turn, given the number that it has.
  ///   - fits: Returns whether an entry fits. One that does not fit may be passed by entries that came
  ///     before it was found not to fit, `passed` at most: they may hold the memory that it waits for.
  /// - Returns: The entry, which counts as running until ``finish(_:)``, and the entries that did not fit.
  mutating func next(
    first: Int? = nil, mayRun: (_ flow: Flow, _ running: Int) -> Bool, passed limit: Int = 16,
    fits: (_ id: Int) -> Bool = { _ in true }
  ) -> (id: Int?, blocked: [Int]) {
    var blocked: [Int] = []
    if let first, let place = places[first], mayRun(place.flow, running(in: place.flow)) {
      if fits(first) {
        start(first, advances: false)
        return (first, [])
      }
      blocked.append(first)
    }
    // The turn of the oldest stays due until it can be given: when the oldest may not run, or does not fit,
    // the next search tries again.
    if turnsOfOthers >= Self.turnOfTheOldest - 1, let id = oldest(), id != blocked.first,
      let place = places[id],
      mayRun(place.flow, running(in: place.flow))
    {
      if fits(id) {
        turnsOfOthers = 0
        start(id, advances: false)
        return (id, [])
      }
      blocked.append(id)
    }
    var aside: [Flow] = []
    var held: [Entry] = []
    var found: Int?
    while found == nil, blocked.count <= limit, let head = nextHead() {
      guard mayRun(head.flow, lines[head.flow]?.running ?? 0) else {
        aside.append(head.flow)
        lines[head.flow]?.head = nil
        continue
      }
      if fits(head.id) {
        found = head.id
      } else {
        if !blocked.contains(head.id) { blocked.append(head.id) }
        // Out of its line until the end of this search.
        if let entry = lines[head.flow]?.entries.popMax() { held.append(entry) }
        change(head.flow) { _ in }
      }
    }
    for entry in held {
      if let flow = places[entry.id]?.flow { change(flow) { $0.entries.insert(entry) } }
    }
    for flow in aside { change(flow) { _ in } }
    if let found {
      turnsOfOthers += 1
      start(found, advances: true)
    }
    return (found, blocked)
  }

  /// Ends the turn of an entry.
  mutating func finish(_ flow: Flow) {
    guard var line = lines[flow] else { return }
    line.running -= 1
    lines[flow] = line
    prune(flow)
  }

  /// Gives an entry a turn without queueing: it was never inserted.
  mutating func startAtOnce(_ flow: Flow, cost: Int64) {
    var line = lines.removeValue(forKey: flow) ?? Line(tag: virtualTime)
    charge(&line, min(max(cost, 1), 1 << 50), advances: true)
    line.running += 1
    lines[flow] = line
  }

  // MARK: Order

  /// - Parameter advances: Whether it was the turn of its flow.
  private mutating func start(_ id: Int, advances: Bool) {
    guard let place = places.removeValue(forKey: id) else { return }
    change(place.flow) { line in
      line.waiting -= 1
      line.running += 1
    }
    if var line = lines[place.flow] {
      charge(&line, place.cost, advances: advances)
      line.head = nil
      announce(&line, of: place.flow)
      lines[place.flow] = line
    }
    forgetOldArrivals()
  }

  private mutating func charge(_ line: inout Line, _ cost: Int64, advances: Bool) {
    let start = max(line.tag, virtualTime)
    if advances { virtualTime = start }
    line.tag = start &+ cost
  }

  /// Returns the next head, skipping those that are out of date.
  private mutating func nextHead() -> Head? {
    while let head = heads.max {
      if let line = lines[head.flow], line.head == head, places[head.id] != nil { return head }
      heads.removeMax()
    }
    return nil
  }

  /// Changes a line, and updates the order of flows if its head has changed.
  private mutating func change(_ flow: Flow, _ body: (inout Line) -> Void) {
    guard var line = lines[flow] else { return }
    lines[flow] = nil
    body(&line)
    announce(&line, of: flow)
    lines[flow] = line
    prune(flow)
  }

  private mutating func announce(_ line: inout Line, of flow: Flow) {
    while let entry = line.entries.max, !isCurrent(entry) { line.entries.removeMax() }
    if line.entries.count > 2 * line.waiting + 64 {
      line.entries = Heap(line.entries.unordered.filter { isCurrent($0) })
    }
    let head = line.entries.max.map { Head(level: $0.level, tag: line.tag, id: $0.id, flow: flow) }
    if line.head == head, head == nil || line.head?.flow == flow { return }
    line.head = head
    if let head { heads.insert(head) }
    if heads.count > 4 * (lines.count + 64) {
      heads = Heap(heads.unordered.filter { lines[$0.flow]?.head == $0 || $0 == head })
    }
  }

  private func isCurrent(_ entry: Entry) -> Bool { places[entry.id]?.stamp == entry.stamp }

  /// Forgets a flow without work when its virtual time has been reached.
  private mutating func prune(_ flow: Flow) {
    guard let line = lines[flow], line.waiting == 0, line.running == 0 else { return }
    if line.tag <= virtualTime || places.isEmpty { lines[flow] = nil }
    guard lines.count > sweepCount else { return }
    // With so many inactive flows, their debts are not worth the memory.
    lines = lines.filter { $0.value.waiting > 0 || $0.value.running > 0 }
    sweepCount = 2 * lines.count + 1024
  }

  private mutating func oldest() -> Int? {
    while firstArrival < arrivals.count {
      if places[arrivals[firstArrival]] != nil { return arrivals[firstArrival] }
      firstArrival += 1
    }
    return nil
  }

  private mutating func forgetOldArrivals() {
    guard arrivals.count > 2 * places.count + 64 else { return }
    arrivals = arrivals[firstArrival...].filter { places[$0] != nil }
    firstArrival = 0
  }
}
