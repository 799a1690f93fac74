extension PixelSize {
  /// The largest number of pixels in the result of a step.
  static let largestResult = 400_000_000

  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` if the result of the step `name` would be too large or
  ///   empty.
  func checkResult(of name: String) throws(ImagingError) {
    guard width > 0, height > 0 else {
      throw .invalidParameter(name: name, reason: "a picture of \(self) has no pixels")
    }
    guard width <= Int(Int32.max), height <= Int(Int32.max), pixelCount <= Self.largestResult else {
      throw .invalidParameter(
        name: name, reason: "the result would have \(self) pixels; \(Self.largestResult) in all are allowed")
    }
  }

  /// Parses `300x200`.
  init?(spelling text: String) {
    let sides = text.split(separator: "x", omittingEmptySubsequences: false)
    guard sides.count == 2, let width = Int(sides[0]), let height = Int(sides[1]) else { return nil }
    self.init(width: width, height: height)
  }

  /// `300x200`.
  var spelling: String { "\(width)x\(height)" }
}

extension Double {
  /// The shortest text that parses as the same number; whole numbers have no point.
  var spelling: String { self == rounded() && abs(self) < 1e15 ? String(Int(self)) : String(self) }

  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` unless the number is within `range`, which excludes NaN.
  func require(
    in range: ClosedRange<Double>, _ what: String, of step: String
  ) throws(ImagingError) {
    guard range.contains(self) else {
      throw .invalidParameter(
        name: step,
        reason:
          "\(what) is \(range.lowerBound.spelling) to \(range.upperBound.spelling), not \(spelling)"
      )
    }
  }
}
