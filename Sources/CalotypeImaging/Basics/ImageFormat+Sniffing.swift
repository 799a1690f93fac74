public import FoundationEssentials

extension ImageFormat {
  /// The number of bytes that ``sniff(_:)`` examines of a binary format; more do not change the result.
  public static let sniffLength = 512

  /// The number of bytes that ``sniff(_:)`` examines of a text, and of a text in a gzip file, for the root element of an
  /// SVG drawing.
  public static let textSniffLength = 4096

  /// The number of bytes that are to be examined of an input: more for a text whose root element is not in the first
  /// ``sniffLength`` bytes.
  static func sniffLength(of bytes: Data) -> Int {
    let start = bytes.bytes.extracting(first: sniffLength)
    return SVGSignature.verdict(on: start) == .open ? textSniffLength : sniffLength
  }

  /// The number of bytes that ``hint(forUnrecognized:)`` examines.
  static let hintLength = 1024

  /// Returns the format of the full signature in the first bytes, regardless of a name or declared type.
  ///
  /// The rest of the file may be invalid. An animated PNG is ``png`` here: only its chunks reveal the animation. `nil`
  /// if no signature matches, or there are too few bytes.
  public static func sniff(_ bytes: Data) -> ImageFormat? {
    sniff(bytes.bytes.extracting(first: textSniffLength))
  }

  static func sniff(_ bytes: RawSpan) -> ImageFormat? {
    if bytes.holds([0xFF, 0xD8, 0xFF]) { return .jpeg }
    if bytes.holds([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
    if bytes.holds("GIF89a") || bytes.holds("GIF87a") { return .gif }
    if bytes.holds("RIFF"), bytes.holds("WEBP", at: 8) { return .webp }
    if bytes.holds([0xFF, 0x0A]) { return .jxl }
    if bytes.holds([0, 0, 0, 12]), bytes.holds("JXL \r\n", at: 4), bytes.holds([0x87, 0x0A], at: 10) {
      return .jxl
    }
    if bytes.holds("ftyp", at: 4) { return isoBrand(bytes) }
    if isTIFF(bytes) { return .tiff }
    if isBMP(bytes) { return .bmp }
    if isDirectory(bytes, kind: 1) { return .ico }
    if isDirectory(bytes, kind: 2) { return .cur }
    if bytes.holds("qoif") { return .qoi }
    if SVGSignature.verdict(on: bytes) == .drawing { return .svg }
    return nil
  }

  /// Returns AVIF or HEIF by the brands of a `ftyp` box (ISO/IEC 14496-12, 23008-12); other brands are videos.
  private static func isoBrand(_ bytes: RawSpan) -> ImageFormat? {
    guard let length = bytes.uint32(at: 0, bigEndian: true), length >= 16 else { return nil }
    // A major brand with a codec decides alone, so that the answer for a prefix holds.
    if bytes.holds("he", at: 8), heifBrands.contains(where: { bytes.holds($0, at: 8) }) { return .heif }
    // With compact headers, the minor version is the brand of the codec (ISO/IEC 23008-12:2025).
    let isCompact = bytes.holds("mif3", at: 8)
    if isCompact, bytes.holds("avif", at: 12) { return .avif }
    var isHEIF = false
    // The major brand is followed by the minor version, then by the compatible brands.
    for offset in stride(from: 8, to: min(Int(length), bytes.byteCount, sniffLength), by: 4)
    where offset != 12 {
      if bytes.holds("avif", at: offset) || bytes.holds("avis", at: offset) { return .avif }
      isHEIF = isHEIF || heifBrands.contains { bytes.holds($0, at: offset) }
    }
    // `mif1` is the major brand of some AVIF files: only the complete list decides.
    return isHEIF && bytes.byteCount >= min(Int(length), sniffLength) ? .heif : nil
  }

  private static let heifBrands: [StaticString] = [
    "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "mif1", "mif2", "mif3",
    "msf1",
  ]

  /// Recognises TIFF 6.0 (42) and BigTIFF (43, offsets of 8 bytes), in both byte orders.
  private static func isTIFF(_ bytes: RawSpan) -> Bool {
    for (mark, bigEndian) in [("II", false), ("MM", true)] as [(StaticString, Bool)] where bytes.holds(mark) {
      switch bytes.uint16(at: 2, bigEndian: bigEndian) {
      case 42: return bytes.uint32(at: 4, bigEndian: bigEndian) ?? 0 >= 8
      case 43:
        return bytes.uint16(at: 4, bigEndian: bigEndian) == 8
          && bytes.uint16(at: 6, bigEndian: bigEndian) == 0
      default: return false
      }
    }
    return false
  }

  /// Recognises BMP by two letters, which are no signature, and by a valid header behind them.
  private static func isBMP(_ bytes: RawSpan) -> Bool {
    guard bytes.holds("BM"), let pixels = bytes.uint32(at: 10, bigEndian: false),
      let header = bytes.uint32(at: 14, bigEndian: false), header == 12 || (16...256).contains(header),
      UInt64(pixels) >= 14 + UInt64(header)
    else { return false }
    let planes = header == 12 ? 22 : 26
    if bytes.uint16(at: planes, bigEndian: false) == 1 { return true }
    // Some encoders leave out the number of planes, which is always 1.
    return [1, 2, 4, 8, 16, 24, 32].contains(bytes.uint16(at: planes + 2, bigEndian: false))
  }

  /// Recognises a directory of icons (1) or cursors (2) with entries, the first of which lies behind it.
  private static func isDirectory(_ bytes: RawSpan, kind: UInt8) -> Bool {
    guard bytes.holds([0, 0, kind, 0]), let count = bytes.uint16(at: 4, bigEndian: false), count > 0,
      let length = bytes.uint32(at: 14, bigEndian: false), length > 0,
      let offset = bytes.uint32(at: 18, bigEndian: false)
    else { return false }
    return Int(offset) >= 6 + 16 * Int(count)
  }
}
