/// A picture of an icon or cursor: its place in the file, and its own header. Width, height and depth in the directory
/// are not trusted, because many files state others.
struct ICOEntry: Sendable {
  /// The coding of the picture.
  enum Picture: Sendable {
    case png
    case bitmap(BMPHeader)
  }

  let picture: Picture
  let size: PixelSize
  let bitsPerPixel: Int
  /// The bytes of the picture, as far as they are in the file.
  let range: Range<Int>
  /// A Boolean value that indicates whether the file ends before the picture.
  let isCut: Bool

  /// Returns the entry; `nil` if its header is none of a picture.
  init?(_ file: RawSpan, range: Range<Int>, isCut: Bool, format: ImageFormat) {
    self.range = range
    self.isCut = isCut
    let bytes = file.extracting(range)
    if bytes.holds(PNGHeader.signature) {
      guard bytes.holds("IHDR", at: 12), let width = bytes.uint32(at: 16, bigEndian: true),
        let height = bytes.uint32(at: 20, bigEndian: true), let depth = bytes.byte(at: 24),
        let type = bytes.byte(at: 25).flatMap(PNGHeader.ColorType.init(rawValue:)), width > 0, height > 0
      else { return nil }
      picture = .png
      size = PixelSize(width: Int(width), height: Int(height))
      bitsPerPixel = Int(depth) * type.sampleCount
    } else {
      guard let header = try? BMPHeader(bytes, in: .icon(format)), header.coding == .rows else { return nil }
      picture = .bitmap(header)
      size = header.size
      bitsPerPixel = header.bitsPerPixel
    }
  }

  /// Returns true if the other picture suits better at full size: it is larger, or deeper at the same size.
  func yields(to other: ICOEntry) -> Bool {
    (size.pixelCount, bitsPerPixel) < (other.size.pixelCount, other.bitsPerPixel)
  }

  /// Returns true if the picture has the proportions of another one, to a pixel.
  func hasShape(of other: ICOEntry) -> Bool {
    let a = Double(size.width) * Double(other.size.height)
    let b = Double(size.height) * Double(other.size.width)
    return abs(a - b) <= Double(max(other.size.width, other.size.height))
  }
}

extension PNGHeader.ColorType {
  /// The number of samples of a pixel.
  var sampleCount: Int {
    switch self {
    case .gray, .indexed: 1
    case .grayAlpha: 2
    case .rgb: 3
    case .rgba: 4
    }
  }
}
