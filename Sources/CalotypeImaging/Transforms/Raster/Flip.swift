extension Transforms {
  /// Mirrors a picture.
  public struct Flip: ImageTransforming, Hashable, Sendable {
    /// What changes places.
    public enum Direction: String, Hashable, Sendable, CaseIterable {
      /// Left and right.
      case horizontal
      /// Top and bottom.
      case vertical
    }

    /// What changes places.
    public var direction: Direction

    /// Creates the step.
    public init(_ direction: Direction) { self.direction = direction }

    /// Reads `horizontal` or `vertical`.
    init(_ arguments: inout TransformArguments) throws(ImagingError) {
      direction = try arguments.required(arguments.choice("direction"), "direction")
      try arguments.finish()
    }

    /// `flip:horizontal` or `flip:vertical`.
    public var identity: String { "flip:\(direction.rawValue)" }

    /// The picture mirrored; no pixel changes its value.
    ///
    /// - Throws: ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
    public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
      try bitmap.converted(to: .rgba8).oriented(direction == .horizontal ? .topRight : .bottomLeft)
    }
  }
}

extension ImageTransform {
  /// Mirrors the picture: left and right change places, or top and bottom.
  public static func flip(_ direction: Transforms.Flip.Direction) -> ImageTransform {
    ImageTransform(Transforms.Flip(direction))
  }
}

extension Transforms.Flip {
  /// Nothing, for two flips in the same direction; `nil` for others.
  public func followed(by next: any ImageTransforming) -> [any ImageTransforming]? {
    next as? Transforms.Flip == self ? [] : nil
  }
}
