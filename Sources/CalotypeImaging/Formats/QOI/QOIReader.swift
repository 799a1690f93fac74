/// A reader of the chunks of QOI that can wait for more bytes between any two chunks.
///
/// Source: the QOI specification, version 1.0.
final class QOIReader {
  private let index: UnsafeMutablePointer<UInt32>
  private let opaque: UInt32
  private var previous = QOIPixel.start
  /// Pixels of the last run that have not been delivered.
  private var run = 0
  /// The offset of the next chunk.
  private(set) var position = QOIHeader.byteCount

  init(_ header: QOIHeader) {
    index = .allocate(capacity: 64)
    index.initialize(repeating: 0, count: 64)
    // Without an alpha channel in the header the picture is opaque, whatever the chunks say.
    opaque = header.hasAlpha ? 0 : 0xFF00_0000
  }

  deinit {
    index.deallocate()
  }

  /// Reads up to `count` pixels; fewer if a chunk is not complete within the bytes. A run beyond the last pixel is cut,
  /// as by the reference decoder.
  func read(
    _ bytes: UnsafeRawBufferPointer, to target: UnsafeMutablePointer<UInt32>, count: Int
  ) -> Int {
    guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
    let end = bytes.count
    var (pixel, at, made) = (previous, position, 0)
    while made < count {
      if run > 0 {
        let length = min(run, count - made)
        let word = UInt32(littleEndian: pixel.word | opaque)
        for offset in 0..<length { target[made &+ offset] = word }
        made &+= length
        run &-= length
        continue
      }
      guard at < end else { break }
      let tag = base[at]
      switch tag {
      case QOITag.rgb:
        guard at <= end - 4 else { return finish(pixel, at, made) }
        pixel.word = pixel.word & 0xFF00_0000 | Self.color(base + at + 1)
        at &+= 4
      case QOITag.rgba:
        guard at <= end - 5 else { return finish(pixel, at, made) }
        pixel.word = Self.color(base + at + 1) | UInt32(base[at + 4]) << 24
        at &+= 5
      default:
        let low = UInt32(tag & 63)
        switch tag & 0xC0 {
        case QOITag.index:
          pixel.word = index[Int(tag)]
          at &+= 1
        case QOITag.difference:
          pixel = pixel.adding(red: (low >> 4) &- 2, green: (low >> 2 & 3) &- 2, blue: (low & 3) &- 2)
          at &+= 1
        case QOITag.luma:
          guard at <= end - 2 else { return finish(pixel, at, made) }
          let green = low &- 32
          let other = UInt32(base[at + 1])
          pixel = pixel.adding(
            red: green &+ (other >> 4) &- 8, green: green, blue: green &+ (other & 15) &- 8)
          at &+= 2
        default:
          run = Int(low) + 1
          at &+= 1
          index[pixel.place] = pixel.word
          continue
        }
      }
      index[pixel.place] = pixel.word
      target[made] = UInt32(littleEndian: pixel.word | opaque)
      made &+= 1
    }
    return finish(pixel, at, made)
  }

  @inline(__always)
  private func finish(_ pixel: QOIPixel, _ at: Int, _ made: Int) -> Int {
    (previous, position) = (pixel, at)
    return made
  }

  @inline(__always)
  private static func color(_ bytes: UnsafePointer<UInt8>) -> UInt32 {
    UInt32(bytes[0]) | UInt32(bytes[1]) << 8 | UInt32(bytes[2]) << 16
  }

  /// Returns the flaw of the end marker, which follows the last pixel; bytes behind it are ignored.
  func failure(of bytes: UnsafeRawBufferPointer) -> ImagingError? {
    for (offset, expected) in QOIHeader.end.enumerated() {
      guard position + offset < bytes.count else { return .truncated(.qoi, byteCount: bytes.count) }
      if bytes[position + offset] != expected {
        return .corrupt(.qoi, reason: "the end marker is broken", offset: position + offset)
      }
    }
    return nil
  }
}
