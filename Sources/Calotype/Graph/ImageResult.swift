import CalotypeCaching
import CalotypeImaging
import CalotypeSupport

/// An image that was found or made, with its metadata.
///
/// An object, because thousands of tasks may wait for one: each of them would reserve memory for a value.
@dynamicMemberLookup
final class ImageResult: Sendable {
  struct Contents: Sendable {
    let image: Image
    var animation: AnimatedImage?
    let source: ImageResponse.Source
    var provenance: OriginalMetadata
    var byteCount: Int?
    /// The record on disk, if the image was found there.
    var record: CacheRecord?
    /// Whether the result is fresh.
    var isFresh = true
    /// Whether the request accepts the result without revalidation.
    var isGoodEnough = true
    /// Whether the result was delivered before, and the server has confirmed it since.
    var isConfirmed = false
    /// Whether the result was found rather than made.
    var isFound = false
    /// The time from the start of the job.
    var duration = Duration.zero
    var log = StageLog()
  }

  private let contents: Contents

  init(_ contents: Contents) {
    self.contents = contents
  }

  subscript<Field>(dynamicMember field: KeyPath<Contents, Field>) -> Field { contents[keyPath: field] }

  /// Returns a copy with changed contents.
  func changed(_ change: (inout Contents) -> Void) -> ImageResult {
    var contents = contents
    change(&contents)
    return ImageResult(contents)
  }

  /// Whether the result may be stored on disk: a damaged image may be sound the next time it is loaded.
  var isStorableOnDisk: Bool { isStorable && !contents.image.isDamaged }

  /// Whether the result may be stored.
  var isStorable: Bool { contents.provenance.isStorable && !contents.image.isPartial }

  /// Returns the entry of the memory cache.
  func cached(tags: [String]) -> CachedImage {
    CachedImage(contents.image, animation: contents.animation, provenance: contents.provenance, tags: tags)
  }
}
