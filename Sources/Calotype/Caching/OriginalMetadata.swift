import CalotypeCaching
import CalotypeSupport
import FoundationEssentials
import HTTPTypes

/// Facts about the bytes that an image was made from.
struct OriginalMetadata: Sendable {
  /// The checksum of the loaded bytes, regardless of the stored form: results with equal versions are
  /// equal.
  var version: Checksum?
  /// The URL of the bytes, after redirects, without a user; `nil` if unknown.
  var url: URL?
  /// The stored response of the server.
  var response: StoredResponse?
  /// The response as it arrived, if it is another than the stored one.
  var unstored: StoredResponse?
  /// The end of the freshness lifetime; `nil` if unknown.
  var freshUntil: Date?
  /// Whether the bytes are known to be stale.
  var isStale = false
  /// The error of the revalidation, if stale bytes are used in place of its response.
  var failure: (any Error)?
  /// Whether results made from the bytes may be stored.
  var isStorable = true
  /// The tags of the cache entry.
  var tags: [String] = []
  /// The newest purge when the bytes were read or requested; `nil` for bytes that were in no cache.
  var epoch: Int?
  /// The position of the shared log of purges when the origin was asked; `nil` without a log.
  var position: Int?
  /// The time that making the image took which was made of the bytes; `nil` for the bytes themselves.
  var cost: Duration?
  /// Whether the server forbids to transform a response that is not stored; a stored one says so itself.
  var forbidsTransformation = false

  /// The time that a damaged image is kept: by then the source, or the transfer, may be sound.
  static let damagedLifetime: TimeInterval = 60

  /// Returns the metadata for a damaged image, which is fresh for at most ``damagedLifetime``.
  func limited(at now: Date) -> OriginalMetadata {
    var limited = self
    let end = now.addingTimeInterval(Self.damagedLifetime)
    limited.freshUntil = min(freshUntil ?? end, end)
    return limited
  }

  /// Returns the remaining time that results may be used without revalidation; `nil` for no limit.
  func freshness(at now: Date) -> Duration? {
    if isStale { return .zero }
    guard let freshUntil else { return nil }
    return .seconds(max(0, min(freshUntil.timeIntervalSince(now), 1e9)))
  }
}

extension ImageResponse.Original {
  init(_ provenance: OriginalMetadata) {
    let response = provenance.unstored ?? provenance.response
    self.init(
      url: provenance.url, status: response?.status, fields: response?.fields ?? HTTPFields(),
      freshUntil: provenance.isStale ? .distantPast : provenance.freshUntil,
      lastModified: response?.modificationDate)
  }
}
