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
    light = LightTable.samples(
      function, isWide: isWide, isFullRange: points.isFullRange || points.matrix != 0)
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
    withMap(levels: isWide ? LightTable.levels16 : LightTable.levels8) { map in
      if isWide {
        cpx_light_rgba16(
          &map, input.assumingMemoryBound(to: UInt16.self), output.assumingMemoryBound(to: UInt16.self),
          count,
          level)
      } else {
        cpx_light_rgba8(
          &map, input.assumingMemoryBound(to: UInt8.self), output.assumingMemoryBound(to: UInt8.self), count,
          level)
      }
    }
  }

  /// Converts pixels of ``PixelFormat/rgba16`` to ``PixelFormat/rgba8``, rounded once. Only for a transform of 16 bits.
  func round(
    _ input: UnsafeRawPointer, to output: UnsafeMutableRawPointer, count: Int,
    level: cpx_level = cpx_best_level()
  ) {
    precondition(isWide, "a transform of 8 bits has no table for 16")
    withMap(levels: LightTable.levels8) { map in
      cpx_light_round(
        &map, input.assumingMemoryBound(to: UInt16.self), output.assumingMemoryBound(to: UInt8.self), count,
        level)
    }
  }

  /// Calls `body` with the tables.
  private func withMap(levels: [Float], _ body: (inout cpx_light_map) -> Void) {
    light.withUnsafeBufferPointer { light in
      levels.withUnsafeBufferPointer { levels in
        Self.with(luminanceGain) { luminanceGain in
          Self.with(gain) { gain in
            let m = matrix
            var map = cpx_light_map(
              light: light.baseAddress, luminance_gain: luminanceGain, gain: gain, levels: levels.baseAddress,
              luminance: (luminance[0], luminance[1], luminance[2]),
              matrix: (m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]))
            body(&map)
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
