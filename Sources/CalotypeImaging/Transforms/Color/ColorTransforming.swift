/// A step that changes each pixel by itself. Several in a row are done in one pass.
protocol ColorTransforming: ImageTransforming {
  /// What is done to a pixel.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for parameters that make no sense.
  var operation: ColorOperation { get throws(ImagingError) }
}

extension ColorTransforming {
  /// The picture with every pixel changed; the picture itself when the step changes nothing.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for parameters that make no sense;
  ///   ``ImagingError/outOfMemory(byteCount:)``; ``ImagingError/cancelled``.
  public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
    try ColorPass(steps: [self]).apply(to: bitmap)
  }
}
