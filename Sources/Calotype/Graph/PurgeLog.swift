import CalotypeCaching

/// What was removed from the caches of a pipeline and when, so that what was begun before does not come back. A pure value.
///
/// Time is a number that grows with each purge. A job carries that of its start: what it stores or reads is valid if no
/// purge since then, and none that still goes on, takes it in.
struct PurgeLog: Sendable {
  /// What a purge takes in.
  enum Selection: Sendable {
    case all
    case selection(CacheSelection)
    /// One result and one original, by the text of their keys.
    case keys([String])

    func contains(_ key: CacheKey, tags: [String]) -> Bool {
      switch self {
      case .all: true
      case .selection(let selection): selection.contains(source: key.source, tags: tags)
      case .keys(let texts): texts.contains { $0.utf8.elementsEqual(key.text.utf8) }
      }
    }
  }

  private struct Purge: Sendable {
    let number: Int
    let selection: Selection
    var goesOn = true
  }

  /// The most purges that are told apart; beyond, all that was begun before the oldest counts as purged, and nothing can be
  /// read until it has ended.
  static let capacity = 256

  /// The number of the newest purge.
  private(set) var now = 0
  /// What was begun before this counts as purged.
  private var floor = 0
  private var purges: [Purge] = []
  /// Purges that go on and are not told apart.
  private var others = 0

  /// A purge begins.
  ///
  /// - Returns: Its number, for ``end(_:)``.
  mutating func begin(_ selection: Selection) -> Int {
    now += 1
    purges.append(Purge(number: now, selection: selection))
    if purges.count > Self.capacity {
      let oldest = purges.remove(at: purges.firstIndex { !$0.goesOn } ?? 0)
      floor = max(floor, oldest.number)
      if oldest.goesOn { others += 1 }
    }
    return now
  }

  /// The caches have nothing any more that was there when a purge began.
  mutating func end(_ number: Int) {
    if let index = purges.firstIndex(where: { $0.number == number }) {
      purges[index].goesOn = false
    } else {
      others -= 1
    }
  }

  /// Forgets purges that are older than all that was begun.
  mutating func forget(before start: Int) {
    if purges.isEmpty { return }
    purges.removeAll { !$0.goesOn && $0.number <= start }
  }

  /// Whether what was begun at `start` may be stored, or delivered.
  func isValid(_ key: CacheKey, tags: [String], since start: Int) -> Bool {
    if start < floor { return false }
    return !purges.contains { $0.number > start && $0.selection.contains(key, tags: tags) }
  }

  /// Whether what a cache has may be used: nothing that goes on takes it in.
  func isReadable(_ key: CacheKey, tags: [String]) -> Bool {
    others == 0 && !purges.contains { $0.goesOn && $0.selection.contains(key, tags: tags) }
  }

  /// Whether there is nothing to ask.
  var isEmpty: Bool { purges.isEmpty && floor == 0 }
}
