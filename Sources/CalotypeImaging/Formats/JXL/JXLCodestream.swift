/// The beginning of the codestream in a JPEG XL file: bare, or in boxes (ISO/IEC 18181-2).
struct JXLCodestream {
  /// The largest number of bytes to collect; headers have about 20, and more with names of channels.
  private static let limit = 64 << 10

  /// The first bytes.
  private(set) var bytes: [UInt8] = []
  /// A Boolean value that indicates whether no more bytes of the codestream follow, or as many as are allowed are here.
  private(set) var isComplete = false

  /// Collects the first bytes.
  ///
  /// - Throws: ``ImagingError/corrupt(_:reason:offset:)`` for boxes that are not sound.
  init(_ file: RawSpan) throws(ImagingError) {
    guard !file.holds([0xFF, 0x0A]) else {
      append(file)
      return
    }
    var offset = 0
    var part: UInt32 = 0
    while !isComplete, offset < file.byteCount {
      guard let box = try ISOBox.read(file, at: offset, end: nil, format: .jxl) else { return }
      offset = box.end
      switch box.type {
      case "jxlc":
        guard part == 0 else { throw Self.outOfOrder(box) }
        append(file, box.content)
        isComplete = isComplete || (box.end <= file.byteCount && !box.isOpen)
      case "jxlp":
        guard let index = file.uint32(at: box.content.lowerBound, bigEndian: true) else { return }
        // The highest bit marks the last part.
        guard index & 0x7FFF_FFFF == part, box.content.count >= 4 else { throw Self.outOfOrder(box) }
        part += 1
        append(file, box.content.lowerBound + 4..<box.content.upperBound)
        isComplete = isComplete || (index >> 31 == 1 && box.end <= file.byteCount && !box.isOpen)
      default: break
      }
    }
  }

  private static func outOfOrder(_ box: ISOBox) -> ImagingError {
    .corrupt(.jxl, reason: "the parts of the codestream are out of order", offset: box.offset)
  }

  private mutating func append(_ file: RawSpan, _ range: Range<Int>) {
    let end = min(range.upperBound, file.byteCount)
    guard range.lowerBound < end else { return }
    append(file.extracting(range.lowerBound..<end))
  }

  private mutating func append(_ part: RawSpan) {
    let part = part.extracting(first: Self.limit - bytes.count)
    part.withUnsafeBytes { bytes += $0 }
    isComplete = bytes.count >= Self.limit
  }
}
