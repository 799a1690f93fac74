/// The codestream in a JPEG XL file: bare, or in boxes (ISO/IEC 18181-2).
struct JXLCodestream {
  /// The number of bytes to collect for the header, which has about 20, and more with names of channels.
  static let headerLimit = 64 << 10

  /// The positions of its parts in the file, as far as they are there.
  private(set) var parts: [Range<Int>] = []
  /// A Boolean value that indicates whether no more bytes of the codestream follow, or enough are here.
  private(set) var isComplete = false
  /// The number of bytes of all parts.
  private(set) var byteCount = 0

  private let limit: Int

  /// Finds the parts.
  ///
  /// - Parameters:
  ///   - file: The file, or its beginning.
  ///   - limit: The number of bytes to find.
  /// - Throws: ``ImagingError/corrupt(_:reason:offset:)`` for boxes that are not sound.
  init(_ file: RawSpan, limit: Int = headerLimit) throws(ImagingError) {
    self.limit = limit
    guard !file.holds([0xFF, 0x0A]) else {
      append(0..<file.byteCount, of: file)
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
        append(box.content, of: file)
        isComplete = isComplete || (box.end <= file.byteCount && !box.isOpen)
      case "jxlp":
        guard let index = file.uint32(at: box.content.lowerBound, bigEndian: true) else { return }
        // The highest bit marks the last part.
        guard index & 0x7FFF_FFFF == part, box.content.count >= 4 else { throw Self.outOfOrder(box) }
        part += 1
        append(box.content.lowerBound + 4..<box.content.upperBound, of: file)
        isComplete = isComplete || (index >> 31 == 1 && box.end <= file.byteCount && !box.isOpen)
      default: break
      }
    }
  }

  private static func outOfOrder(_ box: ISOBox) -> ImagingError {
    .corrupt(.jxl, reason: "the parts of the codestream are out of order", offset: box.offset)
  }

  private mutating func append(_ range: Range<Int>, of file: RawSpan) {
    let end = min(range.upperBound, file.byteCount)
    guard range.lowerBound < end else { return }
    parts.append(range.lowerBound..<end)
    byteCount += end - range.lowerBound
    isComplete = byteCount >= limit
  }

  /// Returns a copy of the first bytes of the codestream.
  func bytes(of file: RawSpan, count: Int = headerLimit) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(min(count, byteCount))
    for part in parts {
      file.extracting(part).extracting(first: max(0, count - bytes.count)).withUnsafeBytes { bytes += $0 }
    }
    return bytes
  }
}
