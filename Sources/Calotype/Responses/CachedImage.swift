package import CalotypeCaching
public import CalotypeImaging

/// An image as a ``ImagePipeline`` keeps it in memory.
public struct CachedImage: Sendable {
  /// The image.
  public var image: Image { contents.image }
  /// Tells the original it was made of from others that the same URL had.
  package var version: Checksum? { contents.version }
  /// In an object, so that a look-up hands on one reference; an image is some hundred bytes with several.
  private let contents: Contents

  package init(_ image: Image, version: Checksum?) {
    contents = Contents(image: image, version: version)
  }

  /// An image that a program has by other means: the next answer of the server takes its place.
  public init(_ image: Image) {
    self.init(image, version: nil)
  }
}

private final class Contents: Sendable {
  let image: Image
  let version: Checksum?

  init(image: Image, version: Checksum?) {
    self.image = image
    self.version = version
  }
}
