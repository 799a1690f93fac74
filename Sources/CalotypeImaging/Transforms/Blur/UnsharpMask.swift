import CPixels

extension Transforms {
  /// An unsharp mask of eight neighbours: adds to each sample its differences from theirs, each times ``weight`` by
  /// ``divider``.
  ///
  /// Beyond the edges, the outermost pixels are repeated. Colours change, alpha does not; differences are weighted by the
  /// alpha of the neighbour.
  public struct UnsharpMask: ImageTransforming, Hashable, Sendable {
    /// The weight of the differences, from 0 (changes nothing) to 1000.
    public var weight: Double
    /// The divisor of the differences, from 0.001 to a million. Larger ones sharpen less.
    public var divider: Double

    /// Creates the step.
    public init(weight: Double = 1, divider: Double = 24) {
      self.weight = weight
      self.divider = divider
    }

    /// Parses `1,divider=24`, both optional.
    init(_ arguments: inout TransformArguments) throws(ImagingError) {
      weight = try arguments.number("weight") ?? 1
      divider = try arguments.number("divider") ?? 24
      try arguments.finish()
      try check()
    }

    /// `unsharp:WEIGHT,divider=DIVIDER`
    public var identity: String { "unsharp:\(weight.spelling),divider=\(divider.spelling)" }

    /// Returns the sharpened picture, of the same size.
    ///
    /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for parameters out of their ranges;
    ///   ``ImagingError/outOfMemory(byteCount:)``; ``ImagingError/cancelled``.
    public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
      try check()
      let bitmap = try bitmap.converted(to: .rgba8)
      guard weight > 0 else { return bitmap }
      var mask = cpx_neighbours()
      mask.width = bitmap.width
      mask.height = bitmap.height
      mask.factor = Float(weight / divider)
      mask.opaque = bitmap.isOpaque ? 1 : 0
      return try bitmap.mapRows(
        to: bitmap.size, costPerPixel: bitmap.isOpaque ? 3 : 30, isOpaque: bitmap.isOpaque
      ) { source, target, rows in
        var mask = mask
        mask.source = source
        mask.target = target
        cpx_neighbour_rows(&mask, rows.lowerBound, rows.upperBound)
      }
    }

    private func check() throws(ImagingError) {
      try weight.require(in: 0...1000, "weight", of: "unsharp")
      try divider.require(in: 0.001...1e6, "divider", of: "unsharp")
    }
  }
}

extension ImageTransform {
  /// Sharpens a picture by the differences of each pixel from its eight neighbours, each times `weight / divider`.
  public static func unsharpMask(weight: Double = 1, divider: Double = 24) -> ImageTransform {
    ImageTransform(Transforms.UnsharpMask(weight: weight, divider: divider))
  }
}
