/// The meaning of the samples of a directory as pixels.
struct TIFFPixels: Sendable {
  /// The maker of the colours.
  enum Maker: Sendable {
    case samples
    /// The library delivers RGBA: for subsampled YCbCr and for Lab.
    case library
  }

  let maker: Maker
  /// Bits of a decoded sample, and samples of a decoded pixel.
  let bits: Int
  let samples: Int
  /// The samples that are colours: 1 (grey or index), 3 (RGB) or 4 (inks).
  let colorCount: Int
  /// The index of the alpha sample.
  let alpha: Int?
  /// A Boolean value that indicates whether colours are multiplied by alpha.
  let isAssociated: Bool
  /// A Boolean value that indicates whether 0 is white.
  let isInverted: Bool
  /// A Boolean value that indicates whether samples are indices of colours.
  let isIndexed: Bool

  /// Judges the samples of a directory.
  ///
  /// - Throws: ``ImagingError/unsupportedFormat(_:reason:)``, ``ImagingError/corrupt(_:reason:offset:)``.
  init(_ directory: TIFFDirectory, _ coding: TIFFCoding) throws(ImagingError) {
    func unsupported(_ reason: String) -> ImagingError { .unsupportedFormat(.tiff, reason: reason) }
    bits = directory.bitsPerSample
    samples = directory.samplesPerPixel
    guard coding.hasEqualBits else { throw unsupported("its samples have different numbers of bits") }
    guard bits <= 16 else { throw unsupported("its samples have \(bits) bits") }
    switch coding.sampleFormat {
    case 1, 4: break
    // Most programs show signed bytes as if they were not.
    case 2 where bits == 8: break
    case 2: throw unsupported("its samples are signed")
    default: throw unsupported("its samples are no integers")
    }
    var maker = Maker.samples
    switch coding.photometric {
    case .minIsWhite, .minIsBlack, .palette, .mask: colorCount = 1
    case .rgb: colorCount = 3
    case .inks:
      guard coding.inkSet == 1, bits == 8 || bits == 16 else { throw unsupported("its inks are not CMYK") }
      colorCount = 4
    case .yCbCr:
      colorCount = 3
      guard bits == 8, samples == 3, !coding.isPlanar else {
        throw unsupported("its YCbCr has \(samples) samples of \(bits) bits")
      }
      // That of JPEG is converted by the codec.
      if coding.compression != .jpeg, coding.compression != .oldJPEG { maker = .library }
    case .lab:
      colorCount = 3
      guard bits == 8, samples == 3, !coding.isPlanar else {
        throw unsupported("its Lab has \(samples) samples of \(bits) bits")
      }
      maker = .library
    }
    self.maker = maker
    guard samples >= colorCount else {
      throw .corrupt(
        .tiff, reason: "\(colorCount) colours have \(samples) samples", offset: directory.offset)
    }
    if coding.compression == .jpeg || coding.compression == .oldJPEG || coding.compression == .webP, bits != 8
    {
      throw unsupported("its \(coding.compression) has \(bits) bits")
    }
    if coding.compression.isFax, bits != 1 || samples != 1 {
      throw .corrupt(.tiff, reason: "a fax has \(samples) samples of \(bits) bits", offset: directory.offset)
    }
    isInverted = coding.photometric == .minIsWhite
    isIndexed = coding.photometric == .palette
    let first = directory.extraSamples.firstIndex { $0 == 1 || $0 == 2 }
    guard let first, first + colorCount < samples, colorCount < 4, maker == .samples, !isIndexed else {
      (alpha, isAssociated) = (nil, false)
      return
    }
    (alpha, isAssociated) = (first + colorCount, directory.extraSamples[first] == 1)
  }

  /// The samples that make colours and alpha, in this order.
  var usedSamples: [Int] { Array(0..<colorCount) + (alpha.map { [$0] } ?? []) }

  /// Bits of a decoded pixel, of one plane.
  func bitsPerPixel(isPlanar: Bool) -> Int { isPlanar ? bits : TIFFGeometry.product(bits, samples) }

  /// Returns the format of the decoded pixels.
  ///
  /// - Parameters:
  ///   - options: The options of the decode.
  ///   - hasProfile: Pass true if a profile describes the colours.
  func format(_ options: DecodeOptions, hasProfile: Bool) -> PixelFormat {
    if colorCount == 4 { return hasProfile && options.colors == .sRGB ? .cmyk8 : .rgba8 }
    guard options.pixels == .native, maker == .samples, !isIndexed else { return .rgba8 }
    if bits > 8 { return .rgba16 }
    return colorCount == 1 && alpha == nil ? .gray8 : .rgba8
  }
}
