/// The headers of a bitmap: all that is known before its palette and pixels.
///
/// Sources: BITMAPCOREHEADER to BITMAPV5HEADER of the Windows documentation; OS/2 2.0 Presentation Manager Programming
/// Guide, BITMAPINFOHEADER2.
struct BMPHeader: Hashable, Sendable {
  /// The surroundings of a bitmap.
  enum Container: Hashable, Sendable {
    /// A file, with a header of its own.
    case file
    /// A picture of an icon or cursor: no file header, and a mask of one bit per pixel behind the pixels, counted in the
    /// height.
    case icon(ImageFormat)
  }

  /// The coding of the pixels.
  enum Coding: Hashable, Sendable {
    /// Rows of indices or words, each padded to four bytes.
    case rows
    /// Runs of indices of 4 or 8 bits, or of colours of 24 bits.
    case runs
  }

  /// The format that errors name.
  let format: ImageFormat
  let size: PixelSize
  /// A Boolean value that indicates whether the first stored row is the top one.
  let isTopDown: Bool
  let bitsPerPixel: Int
  let coding: Coding
  /// The bits of red, green, blue and alpha in a word of 16, 24 or 32 bits.
  let masks: BMPMasks
  /// The offset of the first colour of the palette, the bytes of each, and their number.
  let paletteStart: Int
  let paletteEntryByteCount: Int
  let paletteCount: Int
  /// The offset of the first stored row.
  let pixelStart: Int
  /// The offset and length of an embedded ICC profile, as stated.
  let profile: BMPProfileLocation?

  /// The bytes of a stored row without its padding.
  var rowByteCount: Int { (size.width * bitsPerPixel + 7) / 8 }
  /// The distance between stored rows, in bytes.
  var stride: Int { (size.width * bitsPerPixel + 31) / 32 * 4 }
  var hasPalette: Bool { bitsPerPixel <= 8 }
  /// A Boolean value that indicates whether pixels may be transparent: by an alpha mask, or because runs may leave them
  /// out.
  var hasAlpha: Bool { masks.alpha != 0 || coding == .runs }

  /// Returns the number of complete rows within the first `byteCount` bytes. Only for ``Coding/rows``.
  func rowCount(in byteCount: Int) -> Int {
    // The padding of the last row is not needed.
    let available = byteCount - pixelStart - rowByteCount
    return available < 0 ? 0 : min(size.height, available / stride + 1)
  }

  /// Returns the description of the image.
  func info(_ profile: ColorProfile?) -> ImageInfo {
    var info = ImageInfo(format: format, size: size, hasAlpha: hasAlpha, bitDepth: min(bitsPerPixel, 8))
    if case .icc(let data) = profile { info.colorProfile = ICCProfile.description(of: data) }
    info.layout.isKnown = true
    info.layout.needsCanvas = coding == .runs
    info.layout.hasProfile = self.profile != nil
    return info
  }
}
