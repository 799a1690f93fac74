public import FoundationEssentials

/// An encoder for QOI: lossless, with alpha.
public struct QOIEncoder: ImageEncoding {
  /// Creates an encoder.
  public init() {}

  /// `qoi`.
  public var format: ImageFormat { .qoi }

  /// Returns false: the format is lossless.
  public func usesQuality(_ options: EncodeOptions) -> Bool { false }

  /// Returns the encoded image, with 8 bits per sample. Checks for cancellation between rows.
  ///
  /// The option `channels` of ``EncodeOptions/extras``, `3` or `4`, sets the channels that the header announces; a
  /// reader ignores alpha if there are 3. By default there are 3 if every pixel is known to be opaque.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for other channels, ``ImagingError/cancelled``.
  public func encode(_ image: Image, options: EncodeOptions) throws(ImagingError) -> Data {
    let bitmap = try image.bitmap.converted(to: .rgba8)
    guard let width = UInt32(exactly: bitmap.width), let height = UInt32(exactly: bitmap.height) else {
      throw .encodingFailed(.qoi, reason: "\(bitmap.size) is too large")
    }
    var output = Data(QOIHeader.signature)
    for value in [width, height] {
      for shift: UInt32 in [24, 16, 8, 0] { output.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
    let channels = options.extras["channels"] ?? (bitmap.isOpaque ? "3" : "4")
    guard let channelCount = UInt8(channels), 3...4 ~= channelCount else {
      throw .invalidParameter(name: "channels", reason: "3 or 4, not \(channels)")
    }
    output.append(contentsOf: [channelCount, 0])
    var writer = QOIWriter()
    try bitmap.withUnsafeBytes { (bytes) throws(ImagingError) in
      let pixels = bytes.bindMemory(to: UInt32.self)
      for row in stride(from: 0, to: pixels.count, by: bitmap.width) {
        if Task.isCancelled { throw .cancelled }
        for word in pixels[row..<row + bitmap.width] {
          writer.take(QOIPixel(word: UInt32(littleEndian: word)))
        }
        output.append(contentsOf: writer.chunks)
        writer.chunks.removeAll(keepingCapacity: true)
      }
    }
    writer.endRun()
    return output + writer.chunks + QOIHeader.end
  }
}
