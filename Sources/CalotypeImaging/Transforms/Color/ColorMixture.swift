import CPixels

/// A mix of a pixel and one colour that depends on the alpha of the pixel.
struct ColorMixture: Hashable, Sendable {
  /// The new red, green and blue of opaque pixels, in 256ths: 256 values each.
  private(set) var tables: [UInt16]
  /// The weight of ``color`` by alpha, in 65536ths.
  private(set) var weights: [UInt32]
  /// The new alpha, by alpha.
  private(set) var alphas: [UInt8]
  /// The colour; its alpha is ignored.
  let color: PixelColor

  /// - Parameters:
  ///   - opaque: The new value of a sample (red, green, blue; 0 to 255) of an opaque pixel, 0 to 255.
  ///   - weight: The weight of `color` in the result, 0 to 1, by the alpha of the pixel, 0 to 1.
  ///   - alpha: The new alpha, 0 to 1, by alpha.
  init(
    color: PixelColor, opaque: (_ channel: Int, _ value: Double) -> Double, weight: (Double) -> Double,
    alpha: (Double) -> Double
  ) {
    self.color = color
    tables = (0..<768).map { UInt16(min(max(opaque($0 / 256, Double($0 % 256)), 0), 255) * 256 + 0.5) }
    weights = (0..<256).map { UInt32(min(max(weight(Double($0) / 255), 0), 1) * 65536 + 0.5) }
    alphas = (0..<256).map { UInt8((min(max(alpha(Double($0) / 255), 0), 1) * 255).rounded()) }
  }

  /// Returns the composition of tables with this mixture: exact, because tables have bytes as results.
  func after(_ tables: ColorTables) -> ColorMixture {
    var result = self
    for sample in 0..<256 {
      let byte = UInt8(truncatingIfNeeded: sample)
      for channel in 0..<3 {
        result.tables[channel * 256 + sample] = self.tables[channel * 256 + Int(tables.value(channel, byte))]
      }
      result.weights[sample] = weights[Int(tables.value(3, byte))]
      result.alphas[sample] = alphas[Int(tables.value(3, byte))]
    }
    return result
  }

  /// A Boolean value that indicates whether every pixel is unchanged.
  var isIdentity: Bool {
    weights.allSatisfy { $0 == 0 } && alphas.indices.allSatisfy { alphas[$0] == $0 }
      && tables.indices.allSatisfy { tables[$0] == $0 % 256 * 256 }
  }

  /// Applies the mixture to some pixels. Source and target may be the same.
  func run(_ source: UnsafePointer<UInt8>, _ target: UnsafeMutablePointer<UInt8>, pixels: Int) {
    tables.withUnsafeBufferPointer { tables in
      weights.withUnsafeBufferPointer { weights in
        alphas.withUnsafeBufferPointer { alphas in
          var mixture = cpx_color_mixture(
            tables: tables.baseAddress, weights: weights.baseAddress, alphas: alphas.baseAddress,
            color: (color.red, color.green, color.blue))
          cpx_color_mix(&mixture, source, target, pixels)
        }
      }
    }
  }
}
