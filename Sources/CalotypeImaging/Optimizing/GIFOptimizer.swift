import FoundationEssentials

/// A converter of GIFs to smaller ones that show the same.
enum GIFOptimizer {
  /// Returns a GIF with the same frames, durations and number of plays; `nil` for one with comments or other blocks that
  /// would be lost, a damaged one, and one whose frames have too many colours for a palette each.
  ///
  /// - Parameter accepts: Returns true if the second animation shows the first well enough.
  /// - Throws: The errors of decoding and encoding.
  static func optimized(
    _ data: Data, _ options: EncodeOptions, limits: DecodeLimits?,
    accepts: (AnimatedImage, AnimatedImage) throws(ImagingError) -> Bool = AnimationOptimizer.areEqual
  ) throws(ImagingError) -> Data? {
    guard data.withUnsafeBytes(hasOnlyPictures) else { return nil }
    var options = options
    // A frame that is composited from several may have more colours than a palette: it is then not equal.
    options.dithers = false
    return try AnimationOptimizer.optimized(data, options, limits: limits, accepts: accepts)
  }

  /// Returns true if a file is well-formed, has no other extensions than those of frames and repetition, and no delays that
  /// readers replace: the new file would have theirs.
  private static func hasOnlyPictures(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var at = 13
    var (frames, delays) = (0, 0)
    guard bytes.count > at else { return false }
    func tableBytes(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }
    func skipBlocks() -> Bool {
      while at < bytes.count {
        let length = Int(bytes[at])
        at += 1 + length
        if length == 0 { return true }
      }
      return false
    }
    at += tableBytes(bytes[10])
    while at < bytes.count {
      switch bytes[at] {
      case 0x3B: return frames <= 1 || delays >= frames
      case 0x21:
        guard at + 14 < bytes.count else { return false }
        let name = bytes[at + 1] == 0xFF ? String(decoding: bytes[at + 3..<at + 14], as: UTF8.self) : ""
        guard bytes[at + 1] == 0xF9 || name == "NETSCAPE2.0" || name == "ANIMEXTS1.0" else { return false }
        if bytes[at + 1] == 0xF9, bytes[at + 4] > 1 || bytes[at + 5] > 0 { delays += 1 }
        at += 2
        if !skipBlocks() { return false }
      case 0x2C:
        guard at + 10 < bytes.count else { return false }
        frames += 1
        at += 11 + tableBytes(bytes[at + 9])
        if !skipBlocks() { return false }
      default: return false
      }
    }
    return false
  }
}
