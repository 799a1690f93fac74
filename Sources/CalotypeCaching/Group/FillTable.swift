/// Keys of a ``CacheGroup`` that are being read, and changes that are going on: a read that was overtaken by a change
/// of its key fills no tier, and changes of other keys do not matter.
///
/// Holds no more keys than calls are under way.
struct FillTable: Sendable {
  /// The records that a change is about.
  enum Scope: Sendable {
    case key(CacheKey)
    case all
    /// None: nothing that is read can be out of date because of it.
    case none
  }

  private struct Read {
    var count = 0
    var changes = 0
  }

  private var reads: [CacheKey: Read] = [:]
  private var changing: [CacheKey: Int] = [:]
  private var changesOfAll = 0

  /// Whether nothing is under way.
  var isIdle: Bool { reads.isEmpty && changing.isEmpty && changesOfAll == 0 }

  /// Begins a read.
  ///
  /// - Returns: What ``isCurrent(_:since:)`` is asked with; `nil` when what is read may be out of date already.
  mutating func beginRead(_ key: CacheKey) -> Int? {
    reads[key, default: Read()].count += 1
    guard changesOfAll == 0, changing[key] == nil else { return nil }
    return reads[key]?.changes
  }

  /// Whether nothing has changed since a read began.
  func isCurrent(_ key: CacheKey, since mark: Int) -> Bool { reads[key]?.changes == mark }

  /// Ends a read.
  mutating func endRead(_ key: CacheKey) {
    reads[key]?.count -= 1
    if reads[key]?.count == 0 { reads[key] = nil }
  }

  /// Begins a change; those that read what it is about notice.
  mutating func beginChange(_ scope: Scope) {
    switch scope {
    case .key(let key):
      reads[key]?.changes += 1
      changing[key, default: 0] += 1
    case .all:
      for key in reads.keys { reads[key]?.changes += 1 }
      changesOfAll += 1
    case .none: break
    }
  }

  /// Ends a change.
  mutating func endChange(_ scope: Scope) {
    switch scope {
    case .key(let key):
      changing[key, default: 1] -= 1
      if changing[key] == 0 { changing[key] = nil }
    case .all: changesOfAll -= 1
    case .none: break
    }
  }
}
