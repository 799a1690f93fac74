public import Calotype

/// One image in several sizes, each with its own URL, for metered networks.
///
/// ```swift
/// let variants = ImageVariants(
///   original: ImageRequest(url: photo.large), thumbnail: ImageRequest(url: photo.small))
/// slot.load(variants, network: SystemNetworkCondition.shared)
/// ```
public struct ImageVariants: Hashable, Sendable {
  /// One size of the image. Better variants compare greater.
  public enum Variant: Hashable, Sendable, Comparable {
    /// The smallest.
    case thumbnail
    /// One of ``ImageVariants/sizes``, by its index.
    case size(Int)
    /// The best.
    case original
  }

  /// The best.
  public var original: ImageRequest
  /// The smallest.
  public var thumbnail: ImageRequest
  /// The sizes between, the smallest first. They are used when they are cached.
  public var sizes: [ImageRequest]

  /// Creates the variants of one image.
  public init(original: ImageRequest, thumbnail: ImageRequest, sizes: [ImageRequest] = []) {
    self.original = original
    self.thumbnail = thumbnail
    self.sizes = sizes
  }

  /// All variants, the best first.
  public var all: [Variant] { [.original] + sizes.indices.reversed().map { .size($0) } + [.thumbnail] }

  /// The request of a variant; `nil` for an index out of range.
  public subscript(variant: Variant) -> ImageRequest? {
    switch variant {
    case .thumbnail: thumbnail
    case .size(let index): sizes.indices.contains(index) ? sizes[index] : nil
    case .original: original
    }
  }
}

/// The preference of the user for metered networks: a setting that the program keeps.
public enum VariantPreference: String, Hashable, Sendable, CaseIterable {
  /// The variant that the network suggests.
  case automatic
  /// Always the original.
  case original
}
