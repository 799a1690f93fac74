import CalotypeCaching
public import CalotypeImaging

/// An image as a ``ImagePipeline`` keeps it in memory.
public struct CachedImage: Sendable {
  /// The image.
  public var image: Image { contents.image }
  /// All its frames, if the request asked for them and there are several.
  public var animation: AnimatedImage? { contents.animation }
  /// What is known of the original that it was made of.
  var provenance: Provenance { contents.provenance }
  /// In an object, so that a look-up hands on one reference; an image is some hundred bytes with several.
  private let contents: Contents

  init(_ image: Image, animation: AnimatedImage?, provenance: Provenance) {
    contents = Contents(image: image, animation: animation, provenance: provenance)
  }

  /// An image that a program has by other means: the next answer of the server takes its place.
  public init(_ image: Image, animation: AnimatedImage? = nil) {
    self.init(image, animation: animation, provenance: Provenance())
  }

  /// Bytes that it takes in memory.
  package var cost: Int { image.bitmap.byteCount + (animation?.data.count ?? 0) }
}

private final class Contents: Sendable {
  let image: Image
  let animation: AnimatedImage?
  let provenance: Provenance

  init(image: Image, animation: AnimatedImage?, provenance: Provenance) {
    self.image = image
    self.animation = animation
    self.provenance = provenance
  }
}
