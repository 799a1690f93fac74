/// The first 14 bytes of a QOI file, numbers with the most significant byte first.
struct QOIHeader: Hashable, Sendable {
  static let signature: [UInt8] = [0x71, 0x6F, 0x69, 0x66]
  static let byteCount = 14
  /// The end marker of every file.
  static let end: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]

  let size: PixelSize
  /// A Boolean value that indicates whether alpha counts; the pixels are coded alike.
  let hasAlpha: Bool
  /// A Boolean value that indicates whether all channels are linear. Otherwise colours are sRGB, and alpha is linear.
  let isLinear: Bool

  /// Reads the header and checks its size.
  init(_ bytes: RawSpan, limits: DecodeLimits) throws(ImagingError) {
    guard bytes.byteCount > 0 else { throw .emptyInput }
    let start = min(bytes.byteCount, Self.signature.count)
    guard bytes.holds(Array(Self.signature.prefix(start))) else { throw .unrecognizedFormat(hint: nil) }
    guard let width = bytes.uint32(at: 4, bigEndian: true), let height = bytes.uint32(at: 8, bigEndian: true),
      let channels = bytes.byte(at: 12), let colorSpace = bytes.byte(at: 13)
    else { throw .truncated(.qoi, byteCount: bytes.byteCount) }
    guard channels == 3 || channels == 4 else {
      throw .corrupt(.qoi, reason: "\(channels) channels instead of 3 or 4", offset: 12)
    }
    guard colorSpace <= 1 else {
      throw .corrupt(.qoi, reason: "the colour space is \(colorSpace) instead of 0 or 1", offset: 13)
    }
    size = PixelSize(width: Int(width), height: Int(height))
    hasAlpha = channels == 4
    isLinear = colorSpace == 1
    try limits.check(size: size, format: .qoi)
  }

  var info: ImageInfo {
    var info = ImageInfo(format: .qoi, size: size, hasAlpha: hasAlpha)
    info.layout.isKnown = true
    info.layout.hasProfile = isLinear
    return info
  }

  var profile: ColorProfile? { isLinear ? .calibrated(.init(gamma: 1)) : nil }

  /// Returns an image with the information of the header.
  func image(_ bitmap: Bitmap, _ flaws: DamageReport) -> Image {
    Image(bitmap: bitmap, info: info.marked(flaws), isPartial: flaws.contains(.partial), profile: profile)
  }
}
