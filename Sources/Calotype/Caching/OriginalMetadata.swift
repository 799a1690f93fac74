import CalotypeCaching
import CalotypeSupport
import FoundationEssentials

/// Facts about the bytes that an image was made of.
struct OriginalMetadata: Sendable {
  /// Of the bytes that were loaded, whatever form they are kept in: what was made of bytes with the same one is the same.
  var version: Checksum?
  /// What the server said about them.
  var response: StoredResponse?
  /// Until when the bytes are right; `nil` when nobody said.
  var freshUntil: Date?
  /// Whether they are known to be past that.
  var isStale = false
  /// Why the server could not be asked, if what is stale takes the place of its answer.
  var failure: (any Error)?
  /// Whether anybody may keep what is made of them.
  var isStorable = true
  /// What they are kept under.
  var tags: [String] = []
  /// The newest purge when they were read or asked for; `nil` for bytes that no cache had.
  var epoch: Int?

  /// How long a damaged image is kept: the source, or the transfer, may be better by then.
  static let damagedLifetime: TimeInterval = 60

  /// The same for a damaged image, which is fresh for ``damagedLifetime`` at most.
  func limited(at now: Date) -> OriginalMetadata {
    var limited = self
    let end = now.addingTimeInterval(Self.damagedLifetime)
    limited.freshUntil = min(freshUntil ?? end, end)
    return limited
  }

  /// How long what is made of them may be used unasked, from now on; `nil` for ever.
  func freshness(at now: Date) -> Duration? {
    if isStale { return .zero }
    guard let freshUntil else { return nil }
    return .seconds(max(0, min(freshUntil.timeIntervalSince(now), 1e9)))
  }
}
