import CLCMS

/// A transform to sRGB.
// `@unchecked`: without the one-pixel cache, the use of a transform does not change it (lcms2 API, cmsDoTransform).
final class ColorTransform: @unchecked Sendable {
  private enum Engine {
    case lcms(cmsHTRANSFORM)
    case shaper(ColorShaper)
    case light(LightTransform)
  }

  private let engine: Engine
  private let source: ColorEngine.Source

  /// Returns `nil` if the profile has no usable tags.
  init?(from profile: cmsHPROFILE, source: ColorEngine.Source, context: cmsContext?) {
    guard let target = cmsCreate_sRGBProfileTHR(context) else { return nil }
    defer { cmsCloseProfile(target) }
    self.source = source
    if source == .rgba16, let shaper = ColorShaper(from: profile, to: target) {
      engine = .shaper(shaper)
      return
    }
    let made = cmsCreateTransformTHR(
      context, profile, source.layout, target, source.targetLayout,
      cmsUInt32Number(INTENT_RELATIVE_COLORIMETRIC), source.flags)
    guard let made else { return nil }
    engine = .lcms(made)
  }

  /// Creates a transform from code points.
  init(_ transform: LightTransform, source: ColorEngine.Source) {
    engine = .light(transform)
    self.source = source
  }

  deinit {
    if case .lcms(let handle) = engine { cmsDeleteTransform(handle) }
  }

  /// The transform by light, if this is one from code points.
  var light: LightTransform? {
    if case .light(let light) = engine { light } else { nil }
  }

  /// Converts pixels; `input` and `output` may be the same if their layouts have the same size. Leaves alpha in
  /// `output`, or copies it.
  func convert(_ input: UnsafeRawPointer, to output: UnsafeMutableRawPointer, count: Int) {
    switch engine {
    case .lcms(let handle): cmsDoTransform(handle, input, output, cmsUInt32Number(clamping: count))
    case .shaper(let shaper): shaper.convert(input, to: output, count: count)
    case .light(let light): light.convert(input, to: output, count: count)
    }
  }

  /// A Boolean value that indicates whether nothing changes by more than a rounding error, tested with all greys, and
  /// with colours from the whole cube. It recognises sRGB independently of a profile's name and of the form of its
  /// curves.
  var isIdentity: Bool {
    let steps: [UInt8] = [0, 16, 48, 80, 112, 144, 176, 208, 240, 255]
    var colors: [UInt8] = []
    for gray in 0...255 { colors += [UInt8(gray), UInt8(gray), UInt8(gray), 255] }
    for red in steps { for green in steps { for blue in steps { colors += [red, green, blue, 255] } } }
    switch source {
    case .rgba8:
      return keeps(colors, within: 1)
    case .rgba16:
      // The tolerance is half a unit of 8 bits: tables of sRGB are rounded in many ways.
      return keeps(colors.map { UInt16($0) * 257 }, within: 128)
    case .gray8, .gray16, .cmyk8:
      return false
    }
  }

  private func keeps<Sample: FixedWidthInteger>(_ samples: [Sample], within tolerance: Int) -> Bool {
    var converted = samples
    converted.withUnsafeMutableBytes { pixels in
      guard let base = pixels.baseAddress else { return }
      convert(base, to: base, count: samples.count / 4)
    }
    return zip(samples, converted).allSatisfy { abs(Int($0) - Int($1)) <= tolerance }
  }
}
