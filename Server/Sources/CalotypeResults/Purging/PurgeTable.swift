/// Remembers purges, so that work which began before one cannot store its result after it. A pure value.
///
/// Each purge gets the next generation. Work notes the generation when it begins, and results keep the one of their work; both are
/// valid unless a later purge selects them.
///
/// ```swift
/// let start = purges.generation
/// let result = try await render()
/// if purges.isValid(result.facts, since: start) { store(result) }    // otherwise it is the answer, and not stored
/// ```
///
/// The number of purges is bounded: beyond it the oldest is forgotten, and all work from before it counts as purged. That never
/// keeps what was purged, at the cost of some that was not.
///
/// - Complexity: O(1) for all but prefixes; for these, the number of different lengths among them, at most 256.
public struct PurgeTable: Sendable {
  /// A key of a purge: text is compared by its bytes.
  private enum Key: Hashable, Sendable {
    case identity([UInt8])
    case source([UInt8])
    case prefix([UInt8])
    case tag([UInt8])
  }

  /// The number of purges that are told apart.
  public let capacity: Int
  /// The number of different lengths of prefixes that are told apart.
  static let maximumLengths = 256
  /// The longest text of a purge in bytes. Longer prefixes are shortened, which selects more; other longer texts select all.
  static let maximumText = 8192

  /// The generation of the newest purge; 0 before the first.
  public private(set) var generation = 0
  /// All from before this generation counts as purged.
  private var floor = 0
  private var generations: [Key: Int] = [:]
  /// The number of prefixes of each length.
  private var lengths: [Int: Int] = [:]
  /// Keys in the order of their last purges.
  private var order: [(key: Key, generation: Int)] = []
  private var first = 0

  /// Creates a table without purges.
  public init(capacity: Int = 10_000) {
    self.capacity = min(max(capacity, 0), 1_000_000)
  }

  /// The number of purges that are told apart at present.
  public var count: Int { generations.count }

  /// Records a purge. Caches that can be searched are searched afterwards.
  ///
  /// - Returns: The generation of the purge.
  @discardableResult public mutating func purge(_ selection: PurgeSelection) -> Int {
    generation += 1
    let key: Key
    switch selection {
    case .all: return purgeAll()
    case .identity(let text): key = .identity(Array(text.utf8.prefix(Self.maximumText + 1)))
    case .source(let text): key = .source(Array(text.utf8.prefix(Self.maximumText + 1)))
    case .tag(let text): key = .tag(Array(text.utf8.prefix(Self.maximumText + 1)))
    case .prefix(let text): key = .prefix(Array(text.utf8.prefix(Self.maximumText)))
    }
    switch key {
    case .identity(let bytes), .source(let bytes), .tag(let bytes):
      if bytes.count > Self.maximumText { return purgeAll() }
    case .prefix(let bytes):
      if bytes.isEmpty { return purgeAll() }
      if generations[key] == nil {
        // Too many lengths would slow each look-up down.
        if lengths[bytes.count] == nil, lengths.count >= Self.maximumLengths { return purgeAll() }
        lengths[bytes.count, default: 0] += 1
      }
    }
    generations[key] = generation
    order.append((key, generation))
    while generations.count > capacity { forgetOldest() }
    compact()
    return generation
  }

  /// Returns whether a result of work that began at a generation may be stored, or used.
  public func isValid(_ result: ResultFacts, since start: Int) -> Bool {
    if start >= generation { return true }
    if start < floor { return false }
    func isPurged(_ key: Key) -> Bool { (generations[key] ?? 0) > start }
    let source = Array(result.source.utf8)
    if isPurged(.identity(Array(result.identity.utf8))) || isPurged(.source(source)) { return false }
    if result.tags.contains(where: { isPurged(.tag(Array($0.utf8))) }) { return false }
    return !lengths.keys.contains { $0 <= source.count && isPurged(.prefix(Array(source.prefix($0)))) }
  }

  /// Forgets purges that no work in progress began before, when stored results are removed by the purges themselves.
  ///
  /// - Parameter start: The smallest generation of all work in progress.
  public mutating func forget(before start: Int) {
    while first < order.count, order[first].generation <= start { removeFirst() }
    compact()
  }

  private mutating func purgeAll() -> Int {
    floor = generation
    generations = [:]
    lengths = [:]
    order = []
    first = 0
    return generation
  }

  private mutating func forgetOldest() {
    guard first < order.count else { return }
    let oldest = order[first]
    if generations[oldest.key] == oldest.generation { floor = max(floor, oldest.generation) }
    removeFirst()
  }

  private mutating func removeFirst() {
    let (key, generation) = order[first]
    first += 1
    guard generations[key] == generation else { return }
    generations[key] = nil
    if case .prefix(let bytes) = key {
      let count = (lengths[bytes.count] ?? 1) - 1
      lengths[bytes.count] = count > 0 ? count : nil
    }
  }

  private mutating func compact() {
    guard order.count > 2 * generations.count + 64 else { return }
    order = order[first...].filter { generations[$0.key] == $0.generation }
    first = 0
  }
}
