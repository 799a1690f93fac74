import CalotypeImaging

/// The header of a PNM file: its kind, its size and the largest sample.
struct PNMHeader {
  /// `P1` to `P6`: bits, greys and colours, as text and as bytes.
  enum Kind: UInt8 {
    case textBits = 0x31
    case textGray, textColor, bits, gray, color

    var isText: Bool { rawValue <= Kind.textColor.rawValue }
    var isBits: Bool { self == .textBits || self == .bits }
    var samplesPerPixel: Int { self == .textColor || self == .color ? 3 : 1 }
  }

  let kind: Kind
  let size: PixelSize
  /// The sample that stands for full intensity: 1 to 65,535.
  let maximum: Int

  /// Reads the header up to the first sample.
  init(_ reader: inout PNMReader) throws(ImagingError) {
    guard let mark = reader.next() else { throw .emptyInput }
    guard mark == UInt8(ascii: "P") else { throw .unrecognizedFormat(hint: nil) }
    guard let digit = reader.next() else { throw reader.truncated }
    guard let kind = Kind(rawValue: digit) else { throw .unrecognizedFormat(hint: nil) }
    self.kind = kind
    let width = try reader.number()
    let height = try reader.number()
    size = PixelSize(width: width, height: height)
    maximum = kind.isBits ? 1 : try reader.number()
    guard 1...65_535 ~= maximum else {
      throw .corrupt(.pnm, reason: "the largest sample is \(maximum)", offset: reader.position)
    }
  }

  /// Bytes of a stored row; only for kinds that are not text.
  var rowByteCount: Int {
    kind.isBits ? (size.width + 7) / 8 : size.width * kind.samplesPerPixel * (maximum > 255 ? 2 : 1)
  }

  var info: ImageInfo {
    ImageInfo(format: .pnm, size: size, bitDepth: kind.isBits ? 1 : maximum > 255 ? 16 : 8)
  }
}
