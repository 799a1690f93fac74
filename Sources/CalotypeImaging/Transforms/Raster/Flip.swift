extension Transforms {
  /// A reflection of a picture.
  public struct Flip: ImageTransforming, Hashable, Sendable {
    /// The direction of the reflection.
    public enum Direction: String, Hashable, Sendable, CaseIterable {
      /// Exchanges left and right.
      case horizontal
      /// Exchanges top and bottom.
      case vertical
    }

    /// The direction of the reflection.
    public var direction: Direction

    /// Creates the step.
    public init(_ direction: Direction) { self.direction = direction }

    /// Parses `horizontal` or `vertical`.
    init(_ arguments: inout TransformArguments) throws(ImagingError) {
      direction = try arguments.required(arguments.choice("direction"), "direction")
      try arguments.finish()
    }

    /// `flip:horizontal` or `flip:vertical`.
    public var identity: String { "flip:\(direction.rawValue)" }

    /// Returns the mirrored picture; no pixel changes its value.
    ///
    /// - Throws: ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
    public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
      try bitmap.converted(to: .rgba8).oriented(direction == .horizontal ? .topRight : .bottomLeft)
    }
  }
}

extension ImageTransform {
  /// Mirrors the picture: exchanges left and right, or top and bottom.
  public static func flip(_ direction: Transforms.Flip.Direction) -> ImageTransform {
    ImageTransform(Transforms.Flip(direction))
  }
}

extension Transforms.Flip {
  /// Returns no step for two flips in the same direction; `nil` for others.
  public func followed(by next: any ImageTransforming) -> [any ImageTransforming]? {
    next as? Transforms.Flip == self ? [] : nil
  }
}
