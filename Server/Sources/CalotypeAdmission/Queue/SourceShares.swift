/// Waiting jobs, in a line for each source, and the order in which the lines have their turns. A pure value.
///
/// Among lines: the one whose first job finishes earliest in virtual time, if every line with work were served at the same
/// rate (weighted fair queueing; Demers, Keshav and Shenker, 1989). A source with thousands of jobs delays another by its
/// share, and expensive jobs use up the share of their own source. Virtual time never falls behind the earliest start, as in
/// WF²Q+ (Bennett and Zhang, 1996).
///
/// Within a line: the job with the smallest `cost − 2 × wait`. Since all waits grow alike, that is the smallest
/// `cost + 2 × arrival`, which never changes. A job of cost *c* is overtaken only by jobs that arrive within *c* / 2.
///
/// All operations are O(log *n*).
struct SourceShares: Sendable {
  private struct Line: Sendable {
    let name: String
    /// By rank, weighted with the cost.
    var jobs = OrderTree()
    var running = 0
    /// The virtual time at which the next job of the line starts.
    var start: Int64
    /// Actual by predicted waits of the line.
    var stretch = 1.0
    /// The keys under which a line with waiting jobs is registered.
    var registered: (finish: Int64, start: Int64, end: Int64)?
  }

  private var lines: [Int: Line] = [:]
  private var numbers: [String: Int] = [:]
  private var nextNumber = 0
  /// Lines with waiting jobs, by the virtual finish of their first job.
  private var finishes = OrderTree()
  /// The same lines by the virtual time at which they start and end, for sums.
  private var starts = OrderTree()
  private var ends = OrderTree()
  /// The number of lines with waiting or running jobs.
  private var activeCount = 0
  private var virtualTime: Int64 = 0
  /// The number of lines at which those without jobs are forgotten.
  private var sweepCount = 1024

  /// The processor time of all waiting jobs.
  private(set) var waitingCost: Int64 = 0
  /// The number of lines that are known.
  var count: Int { lines.count }

  /// The line whose turn it is, and the first job there.
  var next: (line: Int, job: OrderTree.Entry)? {
    guard let line = finishes.first?.entry.id, let job = lines[line]?.jobs.first?.entry else { return nil }
    return (line, job)
  }

  /// Returns the rank of a job in its line; smaller goes first.
  static func rank(cost: Int64, arrival: Int64) -> Int64 { cost + 2 * arrival }

  /// Returns the processor time of the waiting jobs that would run before a job that came now.
  func work(before rank: Int64, cost: Int64, source: String) -> Int64 {
    let line = numbers[Self.name(source)].flatMap { lines[$0] }
    // Those of the same rank came earlier.
    let own = line?.jobs.below(rank + 1).sum ?? 0
    let start = line.map { $0.registered == nil ? max($0.start, virtualTime) : $0.start } ?? virtualTime
    let finish = start + own + cost
    // Each line with work gets what lies between its start and the finish of the new job, or its end.
    var others = ends.sumOfMinima(with: finish) &- starts.sumOfMinima(with: finish)
    if let keys = line?.registered { others &-= min(finish, keys.end) &- min(finish, keys.start) }
    return own + max(others, 0)
  }

  /// Returns the factor by which waits in the line of a source are longer than predicted, because of jobs that come later but
  /// run earlier.
  func stretch(of source: String) -> Double {
    numbers[Self.name(source)].flatMap { lines[$0]?.stretch } ?? 1
  }

  /// Records a wait. Predictions below 10 ms say nothing, because a job that runs cannot be interrupted.
  mutating func record(wait: Int64, predicted: Int64, of number: Int) {
    guard predicted >= 10_000_000, let old = lines[number]?.stretch else { return }
    let sample = min(
      max(Double(wait) / Double(predicted), Self.stretches.lowerBound), Self.stretches.upperBound)
    // Rises fast and falls slowly, towards the longer of the waits: a job that is refused at once can go elsewhere.
    lines[number]?.stretch = old + (sample - old) / (sample > old ? 16 : 32)
  }

  /// The range of ``stretch(of:)``. Waits are never predicted to be shorter than the work.
  private static let stretches = 1.0...4.0

  /// Adds a job. Returns the number of its line.
  mutating func insert(_ job: OrderTree.Entry, cost: Int64, source: String) -> Int {
    let name = Self.name(source)
    let number: Int
    if let known = numbers[name] {
      number = known
    } else {
      number = nextNumber
      nextNumber += 1
      numbers[name] = number
      lines[number] = Line(name: name, start: virtualTime)
    }
    change(number) { line, time in
      if line.jobs.count == 0 { line.start = max(line.start, time) }
      line.jobs.insert(job, weight: cost)
    }
    waitingCost += cost
    return number
  }

  /// Lays a job aside, so that ``next`` is another, until ``putBack(_:cost:into:)``.
  mutating func layAside(_ job: OrderTree.Entry, cost: Int64, from number: Int) {
    change(number) { line, _ in line.jobs.remove(job) }
    waitingCost -= cost
  }

  /// Puts a job back that was laid aside.
  mutating func putBack(_ job: OrderTree.Entry, cost: Int64, into number: Int) {
    change(number) { line, _ in line.jobs.insert(job, weight: cost) }
    waitingCost += cost
  }

  /// Takes a job out.
  mutating func remove(_ job: OrderTree.Entry, cost: Int64, from number: Int) {
    change(number) { line, _ in line.jobs.remove(job) }
    waitingCost -= cost
    forget(number)
  }

  /// Takes a job out and has it run: its line is charged.
  mutating func start(_ job: OrderTree.Entry, cost: Int64, from number: Int) {
    let rate = Int64(max(activeCount, 1))
    change(number) { line, _ in
      line.jobs.remove(job)
      line.running += 1
      line.start = min(line.start + cost, Nanoseconds.maximumTime)
    }
    waitingCost -= cost
    virtualTime += cost / rate
    if let earliest = starts.first?.entry.key { virtualTime = max(virtualTime, earliest) }
    virtualTime = min(virtualTime, Nanoseconds.maximumTime)
  }

  /// Ends a running job.
  ///
  /// - Parameter excess: The processor time that the job took beyond the prediction, which its line is charged.
  mutating func finish(_ number: Int, excess: Int64) {
    change(number) { line, _ in
      line.running -= 1
      line.start = min(max(line.start + excess, 0), Nanoseconds.maximumTime)
    }
    forget(number)
  }

  /// Returns a source, shortened to 255 bytes.
  private static func name(_ source: String) -> String {
    source.utf8.count <= 255 ? source : String(decoding: source.utf8.prefix(255), as: UTF8.self)
  }

  /// Changes a line, and its place in the orders of lines.
  private mutating func change(_ number: Int, _ body: (inout Line, _ time: Int64) -> Void) {
    // Taken out, so that the line is changed in place.
    guard var line = lines.removeValue(forKey: number) else { return }
    let wasActive = line.registered != nil || line.running > 0
    let old = line.registered
    body(&line, virtualTime)
    line.registered = line.jobs.first.map { first in
      (line.start + first.weight, line.start, line.start + line.jobs.sum)
    }
    register(number, old, line.registered)
    activeCount += (line.registered != nil || line.running > 0 ? 1 : 0) - (wasActive ? 1 : 0)
    lines[number] = line
  }

  private mutating func register(
    _ number: Int, _ old: (finish: Int64, start: Int64, end: Int64)?,
    _ new: (finish: Int64, start: Int64, end: Int64)?
  ) {
    func move(_ tree: inout OrderTree, _ old: Int64?, _ new: Int64?) {
      guard old != new else { return }
      if let old { tree.remove(OrderTree.Entry(key: old, id: number)) }
      if let new { tree.insert(OrderTree.Entry(key: new, id: number), weight: new) }
    }
    move(&finishes, old?.finish, new?.finish)
    move(&starts, old?.start, new?.start)
    move(&ends, old?.end, new?.end)
  }

  /// Forgets lines without jobs whose share is not used up beyond virtual time.
  private mutating func forget(_ number: Int) {
    if activeCount == 0 {
      // Nobody competes: debts are void, and virtual time starts anew.
      lines.removeAll(keepingCapacity: lines.count <= 1024)
      numbers.removeAll(keepingCapacity: lines.count <= 1024)
      virtualTime = 0
      sweepCount = 1024
      return
    }
    if let line = lines[number], line.registered == nil, line.running == 0, line.start <= virtualTime {
      lines[number] = nil
      numbers[line.name] = nil
    }
    guard lines.count > sweepCount else { return }
    // With so many lines without jobs, their debts are not worth the memory.
    for (number, line) in lines where line.registered == nil && line.running == 0 {
      lines[number] = nil
      numbers[line.name] = nil
    }
    sweepCount = 2 * lines.count + 1024
  }
}
