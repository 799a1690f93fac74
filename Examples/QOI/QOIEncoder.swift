public import CalotypeImaging
public import FoundationEssentials

/// Encodes QOI: lossless, with alpha.
public struct QOIEncoder: ImageEncoding {
  /// Creates an encoder.
  public init() {}

  /// QOI.
  public var format: ImageFormat { .qoi }

  /// `false`: QOI is lossless.
  public func usesQuality(_ options: EncodeOptions) -> Bool { false }

  /// Encodes the image.
  ///
  /// The option `channels` of ``EncodeOptions/extras``, `3` or `4`, sets the channels that the header announces. By
  /// default they follow from the transparency of the pixels.
  ///
  /// - Throws: ``ImagingError/encodingFailed(_:reason:)`` for pixels other than ``PixelFormat/rgba8``,
  ///   ``ImagingError/invalidParameter(name:reason:)`` for other channels, ``ImagingError/cancelled``.
  public func encode(_ image: Image, options: EncodeOptions) throws(ImagingError) -> Data {
    let bitmap = image.bitmap
    guard bitmap.format == .rgba8 else {
      throw .encodingFailed(.qoi, reason: "it takes rgba8 pixels, not \(bitmap.format)")
    }
    guard let width = UInt32(exactly: bitmap.width), let height = UInt32(exactly: bitmap.height) else {
      throw .encodingFailed(.qoi, reason: "\(bitmap.size) is too large")
    }
    var output = Data(QOIHeader.signature)
    for value in [width, height] {
      for shift in [24, 16, 8, 0] { output.append(UInt8(truncatingIfNeeded: value >> UInt32(shift))) }
    }
    let channels = options.extras["channels"] ?? (bitmap.isOpaque ? "3" : "4")
    guard let channelCount = UInt8(channels), 3...4 ~= channelCount else {
      throw .invalidParameter(name: "channels", reason: "3 or 4, not \(channels)")
    }
    output.append(contentsOf: [channelCount, 0])
    var state = State()
    try bitmap.withUnsafeBytes { (bytes) throws(ImagingError) in
      let rowLength = bitmap.bytesPerRow
      for row in stride(from: 0, to: bytes.count, by: rowLength) {
        if Task.isCancelled { throw .cancelled }
        for start in stride(from: row, to: row + rowLength, by: 4) {
          state.take(
            QOIPixel(
              red: bytes[start], green: bytes[start + 1], blue: bytes[start + 2], alpha: bytes[start + 3]))
        }
        output.append(contentsOf: state.chunks)
        state.chunks.removeAll(keepingCapacity: true)
      }
    }
    state.endRun()
    return output + state.chunks + QOITag.end
  }

  /// The state that decides how the next pixel is written.
  private struct State {
    var chunks: [UInt8] = []
    private var previous = QOIPixel.start
    private var seen = Array(repeating: QOIPixel.zero, count: 64)
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
      if seen[place] == pixel {
        chunks.append(QOITag.index | UInt8(place))
      } else if pixel.alpha == previous.alpha {
        write(pixel)
      } else {
        chunks += [QOITag.rgba, pixel.red, pixel.green, pixel.blue, pixel.alpha]
      }
      seen[place] = pixel
      previous = pixel
    }

    mutating func endRun() {
      if run > 0 { chunks.append(QOITag.run | (run - 1)) }
      run = 0
    }

    private mutating func write(_ pixel: QOIPixel) {
      let red = Int8(bitPattern: pixel.red &- previous.red)
      let green = Int8(bitPattern: pixel.green &- previous.green)
      let blue = Int8(bitPattern: pixel.blue &- previous.blue)
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
      chunks += [QOITag.rgb, pixel.red, pixel.green, pixel.blue]
    }
  }
}
