import CalotypeCaching
import CalotypeSupport
import FoundationEssentials

/// The encoded original of an image, shared by all jobs that make something of it.
final class LoadedSource: Sendable {
  let data: Data
  let source: ImageResponse.Source
  let metadata: RecordMetadata
  /// Of the bytes that were loaded, whatever form they are kept in: what was made of bytes with the same one is the same.
  let version: Checksum
  /// Until when the bytes are right; `nil` when nobody said.
  let freshUntil: Date?
  /// Whether they are known to be past that.
  let isStale: Bool
  /// Whether anybody may keep what is made of them.
  let isStorable: Bool
  private let rejected = Lock(false)

  init(
    data: Data, source: ImageResponse.Source, metadata: RecordMetadata, version: Checksum,
    freshUntil: Date? = nil,
    isStale: Bool = false, isStorable: Bool = true
  ) {
    self.data = data
    self.source = source
    self.metadata = metadata
    self.version = version
    self.freshUntil = freshUntil
    self.isStale = isStale
    self.isStorable = isStorable
  }

  /// Whether a decoder refused the bytes, or found only part of an image: they must not stay in a cache.
  var isRejected: Bool { rejected.withLock { $0 } }

  func reject() {
    rejected.withLock { $0 = true }
  }

  /// How long what is made of them may be used unasked, from now on; `nil` for ever.
  func freshness(at now: Date) -> Duration? {
    if isStale { return .zero }
    guard let freshUntil else { return nil }
    return .seconds(max(0, min(freshUntil.timeIntervalSince(now), 1e9)))
  }
}
