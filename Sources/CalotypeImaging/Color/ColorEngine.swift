import CLCMS
import FoundationEssentials

/// The colour engine, which makes transforms to sRGB from profiles: by Little CMS, and for code points by
/// ``LightTransform``.
///
/// It converts relative colorimetric without black point compensation. Any flaw of a profile results in `nil`: a
/// picture with a bad profile is shown without it, as browsers do.
enum ColorEngine {
  /// The size limit of profiles; larger ones are ignored. The largest for print have about three million bytes.
  static let maxProfileBytes = 8 << 20

  /// The layout of the bytes to convert.
  enum Source: Hashable, Sendable {
    /// ``PixelFormat/rgba8``, to the same.
    case rgba8
    /// ``PixelFormat/rgba16``, to the same.
    case rgba16
    /// One grey byte, to ``PixelFormat/rgba8``.
    case gray8
    /// The first sample of ``PixelFormat/rgba16``, to the same.
    case gray16
    /// ``PixelFormat/cmyk8``, to ``PixelFormat/rgba8``.
    case cmyk8

    var layout: cmsUInt32Number {
      switch self {
      case .rgba8: clcms_rgba8
      case .rgba16: clcms_rgba16
      case .gray8: clcms_gray8
      case .gray16: clcms_gray16_in_rgba
      case .cmyk8: clcms_cmyk8
      }
    }

    var targetLayout: cmsUInt32Number {
      switch self {
      case .rgba8, .gray8, .cmyk8: clcms_rgba8
      case .rgba16, .gray16: clcms_rgba16
      }
    }

    /// The flags disable the one-pixel cache, which threads could not share, and for 16 bits also the lattice of lcms
    /// with 33 points per side: it is off by up to four per cent near the edges of the gamut.
    var flags: cmsUInt32Number {
      switch self {
      case .rgba8, .gray8, .cmyk8: cmsUInt32Number(cmsFLAGS_NOCACHE)
      case .rgba16, .gray16: cmsUInt32Number(cmsFLAGS_NOCACHE | cmsFLAGS_NOOPTIMIZE)
      }
    }

    /// The colour space that a profile must have for these pixels (ICC.1, table 19).
    var space: StaticString {
      switch self {
      case .rgba8, .rgba16: "RGB "
      case .gray8, .gray16: "GRAY"
      case .cmyk8: "CMYK"
      }
    }
  }

  /// Returns a transform from the colours of the profile to sRGB; `nil` if the profile cannot be used for these pixels.
  static func transform(from profile: ColorProfile, source: Source) -> ColorTransform? {
    switch profile {
    case .sRGB:
      return nil
    case .icc(let bytes):
      guard bytes.count <= maxProfileBytes, isUsable(bytes, for: source) else { return nil }
      let plain = withoutFloatingPipelines(bytes)
      let opened = plain.withUnsafeBytes {
        cmsOpenProfileFromMemTHR(context, $0.baseAddress, cmsUInt32Number($0.count))
      }
      guard let opened else { return nil }
      defer { cmsCloseProfile(opened) }
      return ColorTransform(from: opened, source: source, context: context)
    case .cicp(let points):
      guard source == .rgba8 || source == .rgba16 else { return nil }
      return ColorTransform(LightTransform(points, isWide: source == .rgba16), source: source)
    case .calibrated(let calibration):
      guard source == .rgba8 || source == .rgba16, let made = makeProfile(calibration) else { return nil }
      defer { cmsCloseProfile(made) }
      return ColorTransform(from: made, source: source, context: context)
    }
  }

  /// Returns true if an ICC profile is for grey pixels.
  static func isGray(_ profile: Data) -> Bool {
    profile.bytes.holds("GRAY", at: 16)
  }

  // It only holds the error handler; lcms locks its other contents.
  private nonisolated(unsafe) static let context: cmsContext? = {
    let context = cmsCreateContext(nil, nil)
    cmsSetLogErrorHandlerTHR(context) { _, _, _ in }
    return context
  }()

  /// Returns true for the header of an input, display or colour space profile for these pixels (ICC.1, 7.2).
  private static func isUsable(_ bytes: Data, for source: Source) -> Bool {
    let profile = bytes.bytes
    guard profile.byteCount >= 132, profile.holds("acsp", at: 36) else { return false }
    let isOfAClass = (["scnr", "mntr", "prtr", "spac"] as [StaticString]).contains {
      profile.holds($0, at: 12)
    }
    let connects = profile.holds("XYZ ", at: 20) || profile.holds("Lab ", at: 20)
    return isOfAClass && connects && profile.holds(source.space, at: 16)
  }

  /// Returns the profile with the tags of its optional floating point pipelines (`D2B0` to `B2D3`) renamed, so that
  /// they are not found.
  ///
  /// These pipelines may have any number of steps of any length: a small file can make them run for hours. All other
  /// tags are tables and curves of bounded work. Browsers ignore the pipelines, too, and every profile must have the
  /// others beside them (ICC.1, 8.2).
  private static func withoutFloatingPipelines(_ bytes: Data) -> [UInt8] {
    var copy = [UInt8](bytes)
    let count = bytes.bytes.uint32(at: 128, bigEndian: true) ?? 0
    // lcms reads no more than 100 tags.
    for index in 0..<min(Int(count), 128) {
      let entry = 132 + 12 * index
      guard entry + 12 <= copy.count else { break }
      let isPipeline = bytes.bytes.holds("D2B", at: entry) || bytes.bytes.holds("B2D", at: entry)
      if isPipeline { copy[entry] = UInt8(ascii: "x") }
    }
    return copy
  }

  private static func makeProfile(_ calibration: ColorProfile.Calibration) -> cmsHPROFILE? {
    guard let curve = curve(gamma: calibration.gamma) else { return nil }
    defer { cmsFreeToneCurve(curve) }
    var white = cmsCIExyY(x: 0.3127, y: 0.3290, Y: 1)
    var primaries = cmsCIExyYTRIPLE(
      Red: cmsCIExyY(x: 0.64, y: 0.33, Y: 1), Green: cmsCIExyY(x: 0.30, y: 0.60, Y: 1),
      Blue: cmsCIExyY(x: 0.15, y: 0.06, Y: 1))
    if let w = calibration.white, let r = calibration.red, let g = calibration.green, let b = calibration.blue
    {
      // A white point without height has no colour; primaries on one line span no area.
      let area = (g.x - r.x) * (b.y - r.y) - (b.x - r.x) * (g.y - r.y)
      guard [w, r, g, b].allSatisfy(\.isOnDiagram), w.y > 0.01, abs(area) > 0.001 else { return nil }
      white = w.color
      primaries = cmsCIExyYTRIPLE(Red: r.color, Green: g.color, Blue: b.color)
    }
    var curves: [OpaquePointer?] = [curve, curve, curve]
    return cmsCreateRGBProfileTHR(context, &white, &primaries, &curves)
  }

  /// Returns the curve that decodes light. Writers express sRGB by 0.45455, because `gAMA` cannot represent it exactly
  /// (PNG, 11.3.2.5).
  private static func curve(gamma: Double?) -> OpaquePointer? {
    guard let gamma, abs(gamma - 0.45455) > 0.001 else {
      // IEC 61966-2-1, as a parametric curve of type 4.
      return cmsBuildParametricToneCurve(context, 4, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
    }
    guard gamma >= 0.1, gamma <= 10 else { return nil }
    return cmsBuildGamma(context, 1 / gamma)
  }
}

extension ColorProfile.Calibration.Point {
  fileprivate var isOnDiagram: Bool { x >= 0 && y > 0 && x + y <= 1.001 }
  fileprivate var color: cmsCIExyY { cmsCIExyY(x: x, y: y, Y: 1) }
}
