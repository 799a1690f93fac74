/// The reads and changes of a tiered cache that are in progress. A read that was overtaken by a change of its key
/// must not fill a higher tier; changes of other keys do not matter.
///
/// Holds at most one key for each call in progress.
package struct FillTable: Sendable {
  /// The records that a change affects.
  package enum Scope: Sendable {
    /// The record of a key.
    case key(CacheKey)
    /// All records, or a selection of them.
    case all
    /// None: the change cannot outdate a read.
    case none
  }

  private struct Read {
    var count = 0
    var changes = 0
  }

  /// Creates an empty table.
  package init() {}

  private var reads: [CacheKey: Read] = [:]
  private var changing: [CacheKey: Int] = [:]
  private var changesOfAll = 0

  /// Whether no call is in progress.
  package var isIdle: Bool { reads.isEmpty && changing.isEmpty && changesOfAll == 0 }

  /// Begins a read.
  ///
  /// - Returns: A number for ``isCurrent(_:since:)``; `nil` when the result may be outdated already.
  package mutating func beginRead(_ key: CacheKey) -> Int? {
    reads[key, default: Read()].count += 1
    guard changesOfAll == 0, changing[key] == nil else { return nil }
    return reads[key]?.changes
  }

  /// Returns whether the key has not changed since a read began.
  package func isCurrent(_ key: CacheKey, since mark: Int) -> Bool { reads[key]?.changes == mark }

  /// Ends a read.
  package mutating func endRead(_ key: CacheKey) {
    reads[key]?.count -= 1
    if reads[key]?.count == 0 { reads[key] = nil }
  }

  /// Begins a change, and marks the reads it affects as outdated.
  package mutating func beginChange(_ scope: Scope) {
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
  package mutating func endChange(_ scope: Scope) {
    switch scope {
    case .key(let key):
      changing[key, default: 1] -= 1
      if changing[key] == 0 { changing[key] = nil }
    case .all: changesOfAll -= 1
    case .none: break
    }
  }
}
