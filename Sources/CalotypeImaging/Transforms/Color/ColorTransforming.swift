/// A step that changes each pixel by itself.
protocol ColorTransforming: ImageTransforming {
  /// The change of a pixel.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for parameters that make no sense.
  var operation: ColorOperation { get throws(ImagingError) }
}

extension ColorTransforming {
  /// The change of a pixel, so that neighbouring steps share a pass.
  public var colorOperation: ColorOperation? {
    get throws(ImagingError) { try operation }
  }

  /// Returns the picture with every pixel changed; the picture itself when the step changes nothing.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for parameters that make no sense;
  ///   ``ImagingError/outOfMemory(byteCount:)``; ``ImagingError/cancelled``.
  public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
    try ColorPass(operations: [operation]).apply(to: bitmap)
  }
}

/// A colour step with one number.
protocol ColorNumberTransforming: ColorTransforming, NumberTransforming {
  /// The change of a pixel by a number that is in its range.
  static func operation(_ number: Double) -> ColorOperation
}

extension ColorNumberTransforming {
  var operation: ColorOperation {
    get throws(ImagingError) { Self.operation(try Self.parameter.checked(number)) }
  }
}
