import CalotypeImaging
import FoundationEssentials

/// The first 14 bytes of a QOI file, numbers with the most significant byte first.
struct QOIHeader {
  static let signature: [UInt8] = [0x71, 0x6F, 0x69, 0x66]
  static let byteCount = 14

  let size: PixelSize
  /// 3 or 4: whether alpha means something. The pixels are coded alike.
  let channels: UInt8
  /// 1 when all channels are linear, 0 for sRGB with linear alpha.
  let colorSpace: UInt8

  init(_ data: Data) throws(ImagingError) {
    guard !data.isEmpty else { throw .emptyInput }
    let bytes = [UInt8](data.prefix(Self.byteCount))
    guard bytes.starts(with: Self.signature) else {
      // Too short to say, as far as it goes.
      if Self.signature.starts(with: bytes) { throw .truncated(.qoi, byteCount: bytes.count) }
      throw .unrecognizedFormat(hint: nil)
    }
    guard bytes.count == Self.byteCount else { throw .truncated(.qoi, byteCount: bytes.count) }
    func number(at offset: Int) -> Int { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
    size = PixelSize(width: number(at: 4), height: number(at: 8))
    channels = bytes[12]
    colorSpace = bytes[13]
    guard channels == 3 || channels == 4 else {
      throw .corrupt(.qoi, reason: "\(channels) channels instead of 3 or 4", offset: 12)
    }
    guard colorSpace <= 1 else {
      throw .corrupt(.qoi, reason: "the colour space is \(colorSpace) instead of 0 or 1", offset: 13)
    }
  }

  var info: ImageInfo { ImageInfo(format: .qoi, size: size, hasAlpha: channels == 4) }

  var profile: ColorProfile? {
    colorSpace == 1 ? .calibrated(.init(gamma: 1)) : nil
  }
}
