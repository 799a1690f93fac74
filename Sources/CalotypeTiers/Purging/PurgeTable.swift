package import CalotypeCaching
import FoundationEssentials

/// All entries of the log of purges that a node has applied, arranged for look-ups. A pure value.
///
/// Entries with the same selection replace each other. Texts are compared as Swift compares strings, which may purge too much
/// where two spellings are canonically equivalent. The table is bounded: beyond, the older half becomes a floor, before
/// which every record counts as purged.
package struct PurgeTable: Hashable, Sendable {
  /// The bounds of a table.
  package struct Limits: Hashable, Sendable {
    /// The most selections.
    package var entries = 100_000
    /// The most bytes, counted as the lengths of the texts and ``PurgeTable/overhead`` for each selection.
    package var bytes = 10 << 20
    /// The most prefixes, each of which is compared at every look-up.
    package var prefixes = 256
    /// The most numbers that may be known behind a missing one.
    package var gaps = 1_024

    /// The default bounds.
    package init() {}
  }

  /// The effect of an entry on the table.
  package enum Effect: Hashable, Sendable {
    /// It was applied, and ``PurgeTable/position`` has reached it.
    case applied
    /// It was applied, but an entry before it is missing.
    case early
    /// It was known.
    case known
    /// It cannot be applied before those that are missing.
    case refused
  }

  /// The bytes that a selection takes besides its text.
  package static let overhead = 48

  /// The bounds.
  package let limits: Limits
  /// The number of the last entry before which none is missing.
  package private(set) var position = 0
  /// The marks of all records.
  package private(set) var floor = PurgeMarks()
  /// The marks of selections.
  private var marks: [CacheSelection: PurgeMarks] = [:]
  private var prefixes: [String: PurgeMarks] = [:]
  /// The number of `host` and `origin` selections, for which a look-up parses the source.
  private var hostCount = 0
  private var bytes = 0
  /// Numbers beyond a missing one.
  private var early: Set<Int> = []

  /// Creates a table without entries.
  package init(limits: Limits = Limits()) {
    self.limits = limits
  }

  /// The highest number of an entry: no log reaches it, and those of damaged or forged entries beyond it count as none.
  package static let highestNumber = 1 << 53

  /// The number of selections.
  package var count: Int { marks.count + prefixes.count }
  /// The counted bytes.
  package var byteCount: Int { bytes }
  /// The largest number that was applied, also beyond a missing one.
  package var lastNumber: Int { early.max() ?? position }
  /// The numbers that are missing before ``lastNumber``.
  package var missing: [Int] {
    early.isEmpty ? [] : (position + 1..<lastNumber).filter { !early.contains($0) }
  }

  /// Applies an entry. The order does not matter: ``position`` stays before the first missing entry.
  package mutating func apply(_ purge: SharedPurge, number: Int) -> Effect {
    guard number > position, !early.contains(number) else { return .known }
    guard number <= Self.highestNumber else { return .refused }
    guard number == position + 1 || (early.count < limits.gaps && number - position <= 2 * limits.gaps) else {
      return .refused
    }
    note(purge.scope, purge.mode, number)
    if number == position + 1 {
      position = number
      closeGap()
      return .applied
    }
    early.insert(number)
    return .early
  }

  /// Gives up missing entries up to a number, which were never written.
  package mutating func skip(to number: Int) {
    guard number > position, number <= lastNumber else { return }
    position = number
    early = early.filter { $0 > number }
    closeGap()
  }

  /// Passes over entries that expired before this node could read them: every record before `number` counts as stale.
  package mutating func passOver(to number: Int) {
    guard number > position else { return }
    floor.note(.stale, number: number)
    dropBelowFloor()
    position = number
    early = early.filter { $0 > number }
    closeGap()
  }

  private mutating func closeGap() {
    while early.remove(position + 1) != nil { position += 1 }
  }

  /// Returns whether a record may be used; O(length of the texts) plus the number of prefixes.
  ///
  /// - Parameter position: The position of the record; `nil` and negative ones count as 0.
  package func verdict(source: String, tags: [String], at position: Int?) -> PurgeVerdict {
    let position = max(0, position ?? 0)
    guard position < lastApplied else { return .valid }
    var found = floor
    func look(_ selection: CacheSelection) {
      if let mark = marks[selection] { found.merge(mark) }
    }
    if !marks.isEmpty {
      look(.source(source))
      for tag in tags {
        look(.tag(tag))
        look(.tagged(source: source, tag: tag))
      }
      if hostCount > 0, let url = URL(string: source) {
        if let host = url.host()?.lowercased() { look(.host(host)) }
        if let origin = WebOrigin(url) { look(.origin(origin.text)) }
      }
    }
    for (prefix, mark) in prefixes where mark.last > position && source.utf8.starts(with: prefix.utf8) {
      found.merge(mark)
    }
    return found.verdict(at: position)
  }

  /// The number of the last entry that may concern a record.
  private var lastApplied: Int { max(lastNumber, floor.last) }

  /// All selections with their marks, the older first.
  package var contents: [(selection: CacheSelection, marks: PurgeMarks)] {
    (marks.map { ($0.key, $0.value) } + prefixes.map { (.sourcePrefix($0.key), $0.value) })
      .sorted { ($0.1.last, $0.1.stale) < ($1.1.last, $1.1.stale) }
  }

  /// Creates the table of a snapshot: what ``contents``, ``floor`` and ``position`` said.
  package init(
    contents: some Sequence<(selection: CacheSelection, marks: PurgeMarks)>, floor: PurgeMarks, position: Int,
    limits: Limits = Limits()
  ) {
    self.limits = limits
    self.position = position
    self.floor = floor
    for (selection, marks) in contents {
      if marks.stale > 0 { note(.selection(selection), .stale, marks.stale) }
      if marks.gone > 0 { note(.selection(selection), .gone, marks.gone) }
    }
  }

  // MARK: Entries

  private mutating func note(_ scope: SharedPurge.Scope, _ mode: SharedPurge.Mode, _ number: Int) {
    guard case .selection(let selection) = scope else {
      floor.note(mode, number: number)
      dropBelowFloor()
      return
    }
    switch selection {
    case .sourcePrefix(let prefix):
      if prefixes[prefix] == nil { bytes += prefix.utf8.count + Self.overhead }
      prefixes[prefix, default: PurgeMarks()].note(mode, number: number)
      if prefixes.count > limits.prefixes { halve(\.prefixes) }
    case .host(let host):
      insert(.host(host.lowercased()), mode, number)
    case .origin(let text):
      // A text that is no origin selects nothing.
      guard let origin = WebOrigin(text) else { return }
      insert(.origin(origin.text), mode, number)
    case .source, .tagged, .tag:
      insert(selection, mode, number)
    }
    if count > limits.entries || bytes > limits.bytes {
      halve(\.marks)
      if bytes > limits.bytes { halve(\.prefixes) }
    }
  }

  private mutating func insert(_ selection: CacheSelection, _ mode: SharedPurge.Mode, _ number: Int) {
    if marks[selection] == nil {
      bytes += Self.size(of: selection)
      if selection.isOfHost { hostCount += 1 }
    }
    marks[selection, default: PurgeMarks()].note(mode, number: number)
  }

  /// Makes the older half of some entries part of the floor.
  private mutating func halve<Key>(_ path: WritableKeyPath<PurgeTable, [Key: PurgeMarks]>) {
    let numbers = self[keyPath: path].values.map(\.last).sorted()
    guard !numbers.isEmpty else { return }
    let limit = numbers[(numbers.count - 1) / 2]
    for mark in self[keyPath: path].values where mark.last <= limit { floor.merge(mark) }
    dropBelowFloor()
  }

  /// Removes the selections that the floor includes.
  private mutating func dropBelowFloor() {
    let floor = floor
    func remains(_ mark: PurgeMarks) -> Bool { mark.stale > floor.last || mark.gone > floor.gone }
    marks = marks.filter { remains($0.value) }
    prefixes = prefixes.filter { remains($0.value) }
    hostCount = marks.keys.count(where: \.isOfHost)
    bytes = marks.keys.reduce(0) { $0 + Self.size(of: $1) }
    bytes += prefixes.keys.reduce(0) { $0 + $1.utf8.count + Self.overhead }
  }

  private static func size(of selection: CacheSelection) -> Int {
    switch selection {
    case .source(let text), .sourcePrefix(let text), .host(let text), .origin(let text), .tag(let text):
      text.utf8.count + overhead
    case .tagged(let source, let tag): source.utf8.count + tag.utf8.count + overhead
    }
  }
}

extension CacheSelection {
  fileprivate var isOfHost: Bool {
    switch self {
    case .host, .origin: true
    case .source, .tagged, .sourcePrefix, .tag: false
    }
  }
}
