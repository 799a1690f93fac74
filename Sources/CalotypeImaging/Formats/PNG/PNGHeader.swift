/// The IHDR chunk (PNG, third edition, 11.2.1), validated.
struct PNGHeader: Hashable, Sendable {
  enum ColorType: UInt8, Sendable {
    case gray = 0
    case rgb = 2
    case indexed = 3
    case grayAlpha = 4
    case rgba = 6

    var hasAlpha: Bool { self == .grayAlpha || self == .rgba }

    var bitDepths: [UInt8] {
      switch self {
      case .gray: [1, 2, 4, 8, 16]
      case .indexed: [1, 2, 4, 8]
      case .rgb, .grayAlpha, .rgba: [8, 16]
      }
    }
  }

  /// The eight bytes at the beginning of every PNG.
  static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

  let size: PixelSize
  let bitDepth: UInt8
  let colorType: ColorType
  let isInterlaced: Bool

  /// Reads the 13 bytes at `payload`.
  init(_ bytes: UnsafeRawBufferPointer, payload: Range<Int>) throws(ImagingError) {
    let at = payload.lowerBound
    guard payload.count == 13 else {
      throw .corrupt(.png, reason: "IHDR has \(payload.count) bytes instead of 13", offset: at)
    }
    let width = bytes.bigEndian32(at: at)
    let height = bytes.bigEndian32(at: at + 4)
    guard (1...UInt32(Int32.max)).contains(width), (1...UInt32(Int32.max)).contains(height) else {
      throw .corrupt(
        .png, reason: "\(width)×\(height) is not a size; each side is 1 to 2147483647", offset: at)
    }
    guard let colorType = ColorType(rawValue: bytes[at + 9]) else {
      throw .corrupt(.png, reason: "there is no colour type \(bytes[at + 9])", offset: at + 9)
    }
    let bitDepth = bytes[at + 8]
    guard colorType.bitDepths.contains(bitDepth) else {
      throw .corrupt(
        .png, reason: "colour type \(colorType.rawValue) cannot have \(bitDepth) bits", offset: at + 8)
    }
    guard bytes[at + 10] == 0, bytes[at + 11] == 0, bytes[at + 12] <= 1 else {
      throw .corrupt(
        .png,
        reason: "unknown compression \(bytes[at + 10]), filter \(bytes[at + 11]) or interlace method"
          + " \(bytes[at + 12])", offset: at + 10)
    }
    self.init(
      size: PixelSize(width: Int(width), height: Int(height)), bitDepth: bitDepth, colorType: colorType,
      isInterlaced: bytes[at + 12] == 1)
  }

  init(size: PixelSize, bitDepth: UInt8, colorType: ColorType, isInterlaced: Bool) {
    self.size = size
    self.bitDepth = bitDepth
    self.colorType = colorType
    self.isInterlaced = isInterlaced
  }

  /// Returns a header of the same picture format with another size, for a frame of an animation.
  func resized(to size: PixelSize) -> PNGHeader {
    PNGHeader(size: size, bitDepth: bitDepth, colorType: colorType, isInterlaced: isInterlaced)
  }

  /// Signature and IHDR chunk: the first 33 bytes of a file.
  var encoded: [UInt8] {
    Self.signature
      + PNGChecksum.chunk(
        .header,
        UInt32(truncatingIfNeeded: size.width).bigEndianBytes
          + UInt32(truncatingIfNeeded: size.height).bigEndianBytes
          + [bitDepth, colorType.rawValue, 0, 0, isInterlaced ? 1 : 0])
  }
}
