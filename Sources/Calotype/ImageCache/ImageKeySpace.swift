import CalotypeCaching
import CalotypeImaging

/// The keys and tags of an ``ImageCache`` of some name, distinct from those of pipelines and of caches with other names.
///
/// Each part is preceded by its length, so that different names and keys never produce the same text.
struct ImageKeySpace: Sendable {
  /// The beginning of all keys, sources and tags.
  let prefix: String

  /// Longer texts are replaced by their digests, because a record cannot carry a key of any length.
  private static let lengthLimit = 1024

  init(name: String) {
    prefix = "image-cache \(Self.part(name))\n"
  }

  /// Returns the key of an image.
  func key(_ text: String) -> CacheKey { CacheKey(prefix + Self.part(text)) }

  /// Returns a tag as it is stored.
  func tag(_ tag: String) -> String { prefix + Self.part(tag) }

  /// All keys.
  var all: CacheSelection { .sourcePrefix(prefix) }

  private static func part(_ text: String) -> String {
    let length = text.utf8.count
    if length <= lengthLimit { return "text \(length) \(text)" }
    // The beginning shows in listings.
    return "digest \(length) \(CacheKey(text).hexDigest) \(String(text.unicodeScalars.prefix(64)))"
  }
}

/// A query of an ``ImageCache``. Equal queries are one piece of work.
struct ImageQuery: Hashable, Sendable {
  /// The key of the image.
  let image: CacheKey
  /// The key of its size in memory. All sizes have the source of the image.
  let key: CacheKey
  let thumbnail: Thumbnail?
  /// Whether all frames are wanted.
  let isAnimation: Bool

  init(_ image: CacheKey, thumbnail: Thumbnail? = nil, isAnimation: Bool = false) {
    self.image = image
    self.thumbnail = thumbnail
    self.isAnimation = isAnimation
    key = thumbnail.map { CacheKey("\(image.text)\nthumbnail \($0.identity)", source: image.source) } ?? image
  }
}
