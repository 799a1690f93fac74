extension Transforms {
  /// A linear map of the four samples of a pixel: `feColorMatrix` of Filter Effects Module Level 1.
  ///
  /// Samples are straight, from 0 to 1, in sRGB; results are clamped. The colours of fully transparent pixels count
  /// as 0.
  public struct ColorMatrix: ImageTransforming, ColorTransforming, Hashable, Sendable {
    /// Four rows, for red, green, blue and alpha of the result: the factors of red, green, blue and alpha of the
    /// picture, and a summand. 20 numbers from -1000 to 1000.
    public var values: [Double]

    /// Creates the step from 20 numbers, row by row.
    public init(_ values: [Double]) {
      self.values = values
    }

    /// The matrix that changes nothing.
    public static let identity = ColorMatrix([1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0])

    init(_ arguments: inout TransformArguments) throws(ImagingError) {
      var values: [Double] = []
      for index in 0..<20 {
        let key = "\("rgba".dropFirst(index / 5).prefix(1))\(index % 5 + 1)"
        values.append(try arguments.required(try arguments.number(key), key))
      }
      self.values = values
      try arguments.finish()
      try check()
    }

    /// `matrix:` and 20 numbers.
    public var identity: String { "matrix:" + values.map(\.spelling).joined(separator: ",") }

    private func check() throws(ImagingError) {
      guard values.count == 20 else {
        throw .invalidParameter(
          name: "matrix", reason: "there are 20 numbers in four rows, not \(values.count)")
      }
      for value in values { try value.require(in: -1000...1000, "each number", of: "matrix") }
    }

    var operation: ColorOperation {
      get throws(ImagingError) {
        try check()
        return ColorOperation(matrix: values)
      }
    }
  }
}

extension ImageTransform {
  /// Computes each sample from all four samples of a pixel, by 20 numbers, row by row; samples from 0 to 1.
  public static func colorMatrix(_ values: [Double]) -> ImageTransform {
    ImageTransform(Transforms.ColorMatrix(values))
  }
}
