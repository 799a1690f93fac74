package import CalotypeCaching
public import CalotypeImaging

/// An image as a ``ImagePipeline`` keeps it in memory.
public struct CachedImage: Sendable {
  /// The image.
  public let image: Image
  /// Tells the original it was made of from others that the same URL had.
  package let version: Checksum?

  package init(_ image: Image, version: Checksum?) {
    self.image = image
    self.version = version
  }

  /// An image that a program has by other means: the next answer of the server takes its place.
  public init(_ image: Image) {
    self.init(image, version: nil)
  }
}
