import CalotypeCaching

/// A log of cache purges, which prevents purged entries from being stored again by earlier jobs. A pure
/// value.
///
/// Time is a number that grows with each purge. A job records the number at its start: the entries it
/// stores or reads are valid if no later purge, and none in progress, selects them.
struct PurgeLog: Sendable {
  /// The selection of a purge.
  enum Selection: Sendable {
    case all
    case selection(CacheSelection)
    /// One result and one original, by the text of their keys, and all encoded forms of the result.
    case keys([String])

    func contains(_ key: CacheKey, tags: [String]) -> Bool {
      switch self {
      case .all: true
      case .selection(let selection): selection.contains(source: key.source, tags: tags)
      case .keys(let texts):
        texts.contains {
          $0.utf8.elementsEqual(key.text.utf8) || key.text.utf8.starts(with: ($0 + "encoded ").utf8)
        }
      }
    }
  }

  private struct Purge: Sendable {
    let number: Int
    let selection: Selection
    var goesOn = true
  }

  /// The maximum number of distinct purges. Beyond it, all work begun before the oldest counts as purged,
  /// and no entry can be read until that purge has ended.
  static let capacity = 256

  /// The number of the newest purge.
  private(set) var now = 0
  /// Work begun before this number counts as purged.
  private var floor = 0
  private var purges: [Purge] = []
  /// The number of purges in progress that are no longer distinguished.
  private var others = 0

  /// Records the beginning of a purge.
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

  /// Records the end of a purge: the caches have no entries any more that existed when it began.
  mutating func end(_ number: Int) {
    if let index = purges.firstIndex(where: { $0.number == number }) {
      purges[index].goesOn = false
    } else {
      others -= 1
    }
  }

  /// Forgets purges that are older than all work in progress.
  mutating func forget(before start: Int) {
    if purges.isEmpty { return }
    purges.removeAll { !$0.goesOn && $0.number <= start }
  }

  /// Returns whether results of work begun at `start` may be stored or delivered.
  func isValid(_ key: CacheKey, tags: [String], since start: Int) -> Bool {
    if start < floor { return false }
    return !purges.contains { $0.number > start && $0.selection.contains(key, tags: tags) }
  }

  /// Returns whether a cache entry may be used: no purge in progress selects it.
  func isReadable(_ key: CacheKey, tags: [String]) -> Bool {
    others == 0 && !purges.contains { $0.goesOn && $0.selection.contains(key, tags: tags) }
  }

  /// Whether no purge affects any entry.
  var isEmpty: Bool { purges.isEmpty && floor == 0 }
}
