package import CalotypeCaching

/// The numbers of the last entries of each mode that concern the same records.
package struct PurgeMarks: Hashable, Sendable {
  /// The number of the last entry of mode `stale`; 0 if there is none.
  package var stale: Int
  /// The number of the last entry of mode `gone`; 0 if there is none.
  package var gone: Int

  /// Creates marks.
  package init(stale: Int = 0, gone: Int = 0) {
    self.stale = stale
    self.gone = gone
  }

  /// The larger one.
  package var last: Int { max(stale, gone) }

  /// Notes an entry.
  package mutating func note(_ mode: SharedPurge.Mode, number: Int) {
    switch mode {
    case .stale: stale = max(stale, number)
    case .gone: gone = max(gone, number)
    }
  }

  /// Takes over what other marks say.
  package mutating func merge(_ other: PurgeMarks) {
    stale = max(stale, other.stale)
    gone = max(gone, other.gone)
  }

  /// The verdict on a record with a position that these marks concern.
  package func verdict(at position: Int) -> PurgeVerdict {
    if position < gone { return .gone }
    return position < stale ? .stale : .valid
  }
}
