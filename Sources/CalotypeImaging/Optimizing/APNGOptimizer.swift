import FoundationEssentials

/// A converter of animated PNGs to smaller ones that show the same.
enum APNGOptimizer {
  /// The chunks that frames are made of, which are made anew.
  private static let pictures: Set<PNGChunkType> = [
    .header, .palette, .transparency, .imageData, .animationControl, .frameControl, .frameData, .end,
  ]
  /// The chunks that hold for any way to store the pixels, which are kept.
  private static let kept: Set<PNGChunkType> = [
    .standardRGB, .text, .latinText, .compressedText, .exif, .time, .pixelSize,
  ]

  /// Returns an animated PNG with the same frames and text; `nil` for one with other chunks, more than 8 bits, a picture
  /// outside of the animation, or damage.
  ///
  /// - Throws: The errors of decoding and encoding.
  static func optimized(
    _ data: Data, _ options: EncodeOptions, limits: DecodeLimits?
  ) throws(ImagingError) -> Data? {
    let chunks = try PNGOptimizer.chunks(of: data)
    guard let first = chunks.first, first.type == .header, first.payload.count == 13, first.payload[8] <= 8,
      chunks.allSatisfy({ pictures.contains($0.type) || kept.contains($0.type) }),
      let picture = chunks.firstIndex(where: { $0.type == .imageData }),
      chunks[..<picture].contains(where: { $0.type == .frameControl }),
      chunks.allSatisfy({ $0.type != .frameControl || Self.hasWholeDuration($0.payload) })
    else { return nil }
    guard let made = try AnimationOptimizer.optimized(data, options, limits: limits) else { return nil }
    let texts = chunks.filter { kept.contains($0.type) }.flatMap { PNGChecksum.chunk($0.type, $0.payload) }
    // They stand behind the header, whose length is fixed, so that they precede the palette as they have to.
    let place = made.startIndex + PNGHeader.signature.count + 25
    return made[..<place] + texts + made[place...]
  }

  /// Returns true if a frame has a duration of whole milliseconds that readers do not replace.
  private static func hasWholeDuration(_ bytes: [UInt8]) -> Bool {
    guard bytes.count == 26 else { return false }
    let (delay, base) = (Int(bytes[20]) << 8 + Int(bytes[21]), Int(bytes[22]) << 8 + Int(bytes[23]))
    let divisor = base == 0 ? 100 : base
    return delay * 1_000 % divisor == 0 && delay * 1_000 / divisor > 10
  }
}
