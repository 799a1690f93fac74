/// A step that changes each pixel independently.
protocol ColorTransforming: ImageTransforming {
  /// The operation on a pixel.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for invalid parameters.
  var operation: ColorOperation { get throws(ImagingError) }
}

extension ColorTransforming {
  /// The operation on a pixel, so that neighbouring steps share a pass.
  public var colorOperation: ColorOperation? {
    get throws(ImagingError) { try operation }
  }

  /// Returns the picture with every pixel changed; the picture itself if the step changes nothing.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for invalid parameters;
  ///   ``ImagingError/outOfMemory(byteCount:)``; ``ImagingError/cancelled``.
  public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
    try ColorPass(operations: [operation]).apply(to: bitmap)
  }
}

/// A colour step with one number.
protocol ColorNumberTransforming: ColorTransforming, NumberTransforming {
  /// Returns the operation for a number within its range.
  static func operation(_ number: Double) -> ColorOperation
}

extension ColorNumberTransforming {
  var operation: ColorOperation {
    get throws(ImagingError) { Self.operation(try Self.parameter.checked(number)) }
  }
}
