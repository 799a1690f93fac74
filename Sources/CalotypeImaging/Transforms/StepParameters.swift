extension Bitmap {
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` unless the pixels are those that steps work on.
  func requireStepPixels() throws(ImagingError) {
    guard format == .rgba8 else {
      throw .invalidParameter(
        name: "bitmap", reason: "steps work on rgba8 pixels, not on \(format); convert them first")
    }
  }
}

extension Double {
  /// The number as identities have it: `2`, `0.5`; equal numbers have the same text.
  var parameterText: String {
    self == rounded() && magnitude < 1e15 ? String(Int(self)) : description
  }

  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` unless the number is within `range`, which NaN is not.
  func require(
    in range: ClosedRange<Double>, _ what: String, of step: String
  ) throws(ImagingError) {
    guard range.contains(self) else {
      throw .invalidParameter(
        name: step,
        reason:
          "\(what) is \(range.lowerBound.parameterText) to \(range.upperBound.parameterText), not \(parameterText)"
      )
    }
  }
}
