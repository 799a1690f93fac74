import CPixels

/// A transform from code points to sRGB: by light, a matrix, and tone mapping of high dynamic range.
///
/// Colours of standard range are clipped sample by sample, as by an ICC profile of the same primaries. In those of high
/// dynamic range, all samples of a pixel are multiplied by one factor, which follows from the largest of them and
/// ``ToneCurve``; what is outside sRGB then loses chroma only.
final class LightTransform: Sendable {
  private let light: [Float]
  private let luminanceGain: [Float]?
  private let gain: [Float]?
  private let luminance: [Float]
  private let matrix: [Float]
  private let isWide: Bool

  /// - Parameters:
  ///   - points: The code points. Unknown primaries and curves count as those of sRGB.
  ///   - isWide: Pass true for ``PixelFormat/rgba16``, false for ``PixelFormat/rgba8``.
  init(_ points: ColorProfile.CodePoints, isWide: Bool) {
    let function = TransferFunction(codePoint: points.transfer) ?? .sRGB
    let primaries = Primaries(codePoint: points.primaries) ?? .sRGB
    self.isWide = isWide
    light = LightTable.samples(function, isWide: isWide, isFullRange: points.isFullRange || points.matrix != 0)
    matrix = primaries.toSRGB.elements.map { Float($0) }
    luminance = primaries.toXYZ.elements[3..<6].map { Float($0) }
    guard function.isHighDynamicRange else {
      (gain, luminanceGain) = (nil, nil)
      return
    }
    var peak = points.peakLuminance
    if function == .hlg { peak = peak.map { min($0, ToneCurve.defaultPeak) } }
    let curve = ToneCurve(peak: peak)
    gain = LightTable.function { curve.shown($0) / $0 }
    luminanceGain = function == .hlg ? LightTable.hlgGain : nil
  }

  /// Converts pixels, alpha included; `input` and `output` may be the same.
  func convert(
    _ input: UnsafeRawPointer, to output: UnsafeMutableRawPointer, count: Int,
    level: cpx_level = cpx_best_level()
  ) {
    light.withUnsafeBufferPointer { light in
      (isWide ? LightTable.levels16 : LightTable.levels8).withUnsafeBufferPointer { levels in
        Self.with(luminanceGain) { luminanceGain in
          Self.with(gain) { gain in
            var conversion = cpx_light_map(
              light: light.baseAddress, luminance_gain: luminanceGain, gain: gain, levels: levels.baseAddress,
              luminance: (luminance[0], luminance[1], luminance[2]),
              matrix: (
                matrix[0], matrix[1], matrix[2], matrix[3], matrix[4], matrix[5], matrix[6], matrix[7],
                matrix[8]
              ))
            if isWide {
              cpx_light_rgba16(
                &conversion, input.assumingMemoryBound(to: UInt16.self),
                output.assumingMemoryBound(to: UInt16.self), count, level)
            } else {
              cpx_light_rgba8(
                &conversion, input.assumingMemoryBound(to: UInt8.self),
                output.assumingMemoryBound(to: UInt8.self), count, level)
            }
          }
        }
      }
    }
  }

  private static func with(_ table: [Float]?, _ body: (UnsafePointer<Float>?) -> Void) {
    guard let table else { return body(nil) }
    table.withUnsafeBufferPointer { body($0.baseAddress) }
  }
}

extension ColorProfile.CodePoints {
  /// A Boolean value that indicates whether primaries and curve are known.
  var haveColors: Bool {
    Primaries(codePoint: primaries) != nil && TransferFunction(codePoint: transfer) != nil
  }
}
