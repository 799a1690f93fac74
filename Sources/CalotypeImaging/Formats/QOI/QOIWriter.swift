/// A writer of the chunks of QOI, the shortest for each pixel.
struct QOIWriter {
  /// The chunks so far; the caller takes them away.
  var chunks: [UInt8] = []
  private var previous = QOIPixel.start
  private var seen = [UInt32](repeating: 0, count: 64)
  private var run: UInt8 = 0

  mutating func take(_ pixel: QOIPixel) {
    if pixel == previous {
      run += 1
      // 63 and 64 would read as the tags of whole pixels.
      if run == 62 { endRun() }
      return
    }
    endRun()
    let place = pixel.place
    if seen[place] == pixel.word {
      chunks.append(QOITag.index | UInt8(place))
    } else if (pixel.word ^ previous.word) >> 24 == 0 {
      writeColor(pixel)
    } else {
      chunks.append(QOITag.rgba)
      append(pixel, byteCount: 4)
    }
    seen[place] = pixel.word
    previous = pixel
  }

  mutating func endRun() {
    // Readers differ in whether a run at the very beginning enters the index: it is not relied upon.
    if run > 0 { chunks.append(QOITag.run | (run - 1)) }
    run = 0
  }

  private mutating func writeColor(_ pixel: QOIPixel) {
    func difference(_ shift: UInt32) -> Int8 {
      Int8(truncatingIfNeeded: Int32(pixel.word >> shift & 255) - Int32(previous.word >> shift & 255))
    }
    let (red, green, blue) = (difference(0), difference(8), difference(16))
    let small: ClosedRange<Int8> = -2...1
    if small.contains(red), small.contains(green), small.contains(blue) {
      let bits = UInt8(red + 2) << 4 | UInt8(green + 2) << 2 | UInt8(blue + 2)
      return chunks.append(QOITag.difference | bits)
    }
    let (redRest, blueRest) = (red &- green, blue &- green)
    let rest: ClosedRange<Int8> = -8...7
    if (-32...31).contains(green), rest.contains(redRest), rest.contains(blueRest) {
      chunks.append(QOITag.luma | UInt8(green + 32))
      return chunks.append(UInt8(redRest + 8) << 4 | UInt8(blueRest + 8))
    }
    chunks.append(QOITag.rgb)
    append(pixel, byteCount: 3)
  }

  private mutating func append(_ pixel: QOIPixel, byteCount: UInt32) {
    for index in 0..<byteCount { chunks.append(UInt8(truncatingIfNeeded: pixel.word >> (8 * index))) }
  }
}
