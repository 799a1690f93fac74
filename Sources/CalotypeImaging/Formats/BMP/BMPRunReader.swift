/// A reader of runs (BI_RLE4, BI_RLE8, and the 24 bits of OS/2) that can wait for more bytes anywhere.
///
/// Pixels that the runs skip are transparent, as in browsers. Runs never go back, so that each pixel is painted once.
struct BMPRunReader {
  private let header: BMPHeader
  private var position: Int
  private var x = 0
  /// The number of stored rows before the current one.
  private(set) var row = 0
  private(set) var paintedCount = 0
  /// A Boolean value that indicates whether a run or a move has left the picture.
  private(set) var leavesPicture = false
  private var hasEndMark = false

  init(_ header: BMPHeader) {
    self.header = header
    position = header.pixelStart
  }

  /// A Boolean value that indicates whether no further byte can change the picture.
  var isComplete: Bool {
    hasEndMark || row >= header.size.height || (row == header.size.height - 1 && x >= header.size.width)
  }

  /// Paints all runs that are complete within the bytes.
  mutating func read(
    _ bytes: UnsafeRawBufferPointer, _ expander: BMPExpander, onto canvas: PixelCanvas,
    watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) {
    var steps = 0
    while !isComplete, position <= bytes.count - 2 {
      steps &+= 1
      if steps & 0xFFF == 0 { try watch.check() }
      let (count, value) = (Int(bytes[position]), bytes[position + 1])
      let consumed =
        switch (count, value) {
        case (0, 0): endRow()
        case (0, 1): endPicture()
        case (0, 2): move(bytes)
        case (0, _): paintLiterals(bytes, Int(value), expander, canvas)
        default: paintRun(bytes, count, expander, canvas)
        }
      guard let consumed else { return }
      position += consumed
    }
  }

  private mutating func endRow() -> Int? {
    (x, row) = (0, row + 1)
    return 2
  }

  private mutating func endPicture() -> Int? {
    hasEndMark = true
    return 2
  }

  private mutating func move(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard position + 4 <= bytes.count else { return nil }
    x += Int(bytes[position + 2])
    row += Int(bytes[position + 3])
    if x > header.size.width || row > header.size.height { leavesPicture = true }
    x = min(x, header.size.width)
    return 4
  }

  private mutating func paintRun(
    _ bytes: UnsafeRawBufferPointer, _ count: Int, _ expander: BMPExpander, _ canvas: PixelCanvas
  ) -> Int? {
    let value = bytes[position + 1]
    switch header.bitsPerPixel {
    case 24:
      guard position + 4 <= bytes.count else { return nil }
      let color = Self.pixel(bytes, at: position + 1)
      paint(count, canvas) { _ in color }
      return 4
    case 4:
      let (even, odd) = (expander.pixel(of: value >> 4), expander.pixel(of: value & 15))
      paint(count, canvas) { $0 & 1 == 0 ? even : odd }
    default:
      let color = expander.pixel(of: value)
      paint(count, canvas) { _ in color }
    }
    return 2
  }

  /// Literal pixels, padded to an even number of bytes.
  private mutating func paintLiterals(
    _ bytes: UnsafeRawBufferPointer, _ count: Int, _ expander: BMPExpander, _ canvas: PixelCanvas
  ) -> Int? {
    let start = position + 2
    let length = (count * header.bitsPerPixel + 7) / 8
    guard length <= bytes.count - start else { return nil }
    switch header.bitsPerPixel {
    case 24: paint(count, canvas) { Self.pixel(bytes, at: start + 3 * $0) }
    case 4:
      paint(count, canvas) {
        let pair = bytes[start + $0 / 2]
        return expander.pixel(of: $0 & 1 == 0 ? pair >> 4 : pair & 15)
      }
    default: paint(count, canvas) { expander.pixel(of: bytes[start + $0]) }
    }
    return 2 + length + length & 1
  }

  private static func pixel(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
    let (blue, green, red) = (bytes[offset], bytes[offset + 1], bytes[offset + 2])
    return UInt32(littleEndian: 0xFF00_0000 | UInt32(blue) << 16 | UInt32(green) << 8 | UInt32(red))
  }

  /// Paints the next pixels of the row; those behind its end are dropped.
  @inline(__always)
  private mutating func paint(_ count: Int, _ canvas: PixelCanvas, _ color: (Int) -> UInt32) {
    let visible = min(count, header.size.width - x)
    if visible < count { leavesPicture = true }
    let y = header.isTopDown ? row : header.size.height - 1 - row
    let target = canvas.address(x: 0, y: y).assumingMemoryBound(to: UInt32.self) + x
    for index in 0..<visible { target[index] = color(index) }
    x += visible
    paintedCount += visible
  }
}
