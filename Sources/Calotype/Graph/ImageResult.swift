import CalotypeCaching
import CalotypeImaging
import CalotypeSupport

/// An image that was found or made, and what is known of it.
///
/// An object, because thousands may wait for one: each of them would need room for it.
@dynamicMemberLookup
final class ImageResult: Sendable {
  struct Contents: Sendable {
    let image: Image
    var animation: AnimatedImage?
    let source: ImageResponse.Source
    var provenance: OriginalMetadata
    var byteCount: Int?
    /// How it is kept on disk, if that is where it was found.
    var record: CacheRecord?
    /// Whether it is as good as new.
    var isFresh = true
    /// Whether the request takes it without anybody being asked.
    var isGoodEnough = true
    /// Whether it was delivered before, and the server has confirmed it since.
    var isConfirmed = false
    /// Whether it was found as it is, not made.
    var isFound = false
    /// How long it took, from the start of the job.
    var duration = Duration.zero
    var log = StageLog()
  }

  private let contents: Contents

  init(_ contents: Contents) {
    self.contents = contents
  }

  subscript<Field>(dynamicMember field: KeyPath<Contents, Field>) -> Field { contents[keyPath: field] }

  /// The same with other things known of it.
  func changed(_ change: (inout Contents) -> Void) -> ImageResult {
    var contents = contents
    change(&contents)
    return ImageResult(contents)
  }

  /// Whether it may be kept on disk: a damaged image may be sound the next time it is loaded.
  var isStorableOnDisk: Bool { isStorable && !contents.image.isDamaged }

  /// Whether it may be kept.
  var isStorable: Bool { contents.provenance.isStorable && !contents.image.isPartial }

  /// The entry of the memory cache.
  var cached: CachedImage {
    CachedImage(contents.image, animation: contents.animation, provenance: contents.provenance)
  }
}
