/// The fields of the headers of a bitmap, as stored.
struct BMPFields {
  let format: ImageFormat
  /// The offset of the header that describes the picture.
  let start: Int
  /// Its length: 12 for OS/2 1, 16 to 64 for OS/2 2, 40, 52, 56, 108 or 124 for Windows.
  let byteCount: Int
  /// A Boolean value that indicates whether the numbers of compressions are those of OS/2.
  let isOS2: Bool
  let width: Int
  /// The stored height; negative if the first row is the top one.
  let height: Int
  let bitsPerPixel: Int
  let compression: Int
  let colorsUsed: Int
  /// The offset of the pixels; `nil` if they follow the palette.
  let pixelStart: Int?
  let profile: BMPProfileLocation?
  private let storedMasks: [UInt32?]
  private let availableByteCount: Int

  init(_ bytes: RawSpan, in container: BMPHeader.Container) throws(ImagingError) {
    var pixels: Int?
    switch container {
    case .icon(let format): (self.format, start) = (format, 0)
    case .file:
      (self.format, start) = (.bmp, 14)
      guard bytes.holds("BM") else {
        if bytes.byteCount == 0 { throw .emptyInput }
        if bytes.byteCount == 1, bytes.holds("B") { throw .truncated(.bmp, byteCount: 1) }
        throw .unrecognizedFormat(hint: nil)
      }
      guard let offset = bytes.uint32(at: 10, bigEndian: false) else {
        throw .truncated(.bmp, byteCount: bytes.byteCount)
      }
      pixels = Int(offset)
    }
    pixelStart = pixels
    guard let length = bytes.uint32(at: start, bigEndian: false).map({ Int($0) }) else {
      throw .truncated(format, byteCount: bytes.byteCount)
    }
    guard length == 12 || (16...64).contains(length) || length == 108 || length == 124 else {
      throw .corrupt(format, reason: "there is no header of \(length) bytes", offset: start)
    }
    guard bytes.byteCount >= start + length else { throw .truncated(format, byteCount: bytes.byteCount) }
    byteCount = length
    isOS2 = length < 108 && ![40, 52, 56].contains(length)
    let base = start

    /// Returns a field; 0 if the header ends before it.
    func word(_ offset: Int) -> UInt32 {
      offset + 4 <= length ? bytes.uint32(at: base + offset, bigEndian: false) ?? 0 : 0
    }
    func short(_ offset: Int) -> Int { Int(bytes.uint16(at: base + offset, bigEndian: false) ?? 0) }
    if length == 12 {
      (width, height, bitsPerPixel) = (short(4), short(6), short(10))
      (compression, colorsUsed) = (0, 0)
    } else {
      width = Int(Int32(bitPattern: word(4)))
      height = Int(Int32(bitPattern: word(8)))
      bitsPerPixel = short(14)
      compression = Int(word(16))
      colorsUsed = Int(word(32))
    }
    // A linked profile is the name of a file, and is not read; all other values mean sRGB, or a calibration that
    // browsers ignore.
    let isEmbedded = length == 124 && word(56) == 0x4D42_4544
    profile =
      isEmbedded && word(116) > 0
      ? BMPProfileLocation(start: base + Int(word(112)), byteCount: Int(word(116))) : nil
    // Behind a header of 40 bytes, and inside all longer ones of Windows.
    storedMasks = [40, 44, 48, 52].map { bytes.uint32(at: base + $0, bigEndian: false) }
    availableByteCount = bytes.byteCount
  }

  /// Returns the masks of the channels.
  func masks(hasAlpha: Bool) throws(ImagingError) -> BMPMasks {
    guard let red = storedMasks[0], let green = storedMasks[1], let blue = storedMasks[2],
      let alpha = hasAlpha ? storedMasks[3] : 0
    else { throw .truncated(format, byteCount: availableByteCount) }
    return BMPMasks(red: red, green: green, blue: blue, alpha: alpha)
  }

  func unsupported(_ reason: String) -> ImagingError { .unsupportedFormat(format, reason: reason) }
}
