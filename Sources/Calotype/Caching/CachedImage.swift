import CalotypeCaching
public import CalotypeImaging
import FoundationEssentials
import HTTPTypes

/// An image in the cache of decoded images of an ``ImagePipeline``: ``ImageCaching``.
public struct CachedImage: Sendable {
  /// The image.
  public var image: Image { contents.image }
  /// All its frames, if the request asked for them and there are several.
  public var animation: AnimatedImage? { contents.animation }
  /// The tags by which it is removed together with others: `CacheSelection.tag`.
  public var tags: [String] { contents.tags }
  /// Facts about the original that the image was made from.
  var provenance: OriginalMetadata { contents.provenance }
  /// An object, so that a lookup copies one reference; an image is some hundred bytes with several
  /// references.
  private let contents: Contents

  init(_ image: Image, animation: AnimatedImage?, provenance: OriginalMetadata, tags: [String]) {
    contents = Contents(image: image, animation: animation, provenance: provenance, tags: tags)
  }

  /// Creates an entry for an image from another source of the program: the next response of the server
  /// replaces it.
  public init(_ image: Image, animation: AnimatedImage? = nil, tags: [String] = []) {
    self.init(image, animation: animation, provenance: OriginalMetadata(), tags: tags)
  }

  /// The number of bytes in memory, including the overhead of a cache entry.
  package var cost: Int {
    var cost = Self.overhead + image.bitmap.allocatedByteCount + image.describingByteCount
    if let animation { cost += animation.data.count + animation.info.byteCount }
    cost += provenance.describingByteCount
    // Those of the provenance are among them.
    for tag in tags { cost += tag.utf8.count }
    return cost
  }

  /// The overhead of a cache entry with its keys, and the objects of an image: 1.9 KB, as measured with
  /// images of one pixel.
  private static let overhead = 2 << 10
}

private final class Contents: Sendable {
  let image: Image
  let animation: AnimatedImage?
  let provenance: OriginalMetadata
  let tags: [String]

  init(image: Image, animation: AnimatedImage?, provenance: OriginalMetadata, tags: [String]) {
    self.image = image
    self.animation = animation
    self.provenance = provenance
    self.tags = tags
  }
}

extension Image {
  /// The number of bytes of metadata besides the pixels.
  fileprivate var describingByteCount: Int {
    var count = (metadata.exif?.count ?? 0) + (metadata.xmp?.count ?? 0) + (info?.byteCount ?? 0)
    if case .icc(let data) = profile { count += data.count }
    return count
  }
}

extension ImageInfo {
  /// The number of bytes of the lists and texts in it.
  var byteCount: Int {
    durations.count * MemoryLayout<Duration>.stride + (colorProfile?.utf8.count ?? 0)
  }
}

extension OriginalMetadata {
  /// The overhead of a header field besides its text.
  private static let fieldOverhead = 64

  /// The number of bytes of the URL and the header fields.
  var describingByteCount: Int {
    var count = url?.absoluteString.utf8.count ?? 0
    for response in [response, unstored] {
      for field in response?.fields ?? [:] {
        count += Self.fieldOverhead + field.name.rawName.utf8.count + field.value.utf8.count
      }
    }
    return count
  }
}
