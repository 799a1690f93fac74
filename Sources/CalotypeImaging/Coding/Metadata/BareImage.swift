package import FoundationEssentials

/// Tells whether a file holds an image and nothing else, so that it may be delivered as it is: no metadata, no profile,
/// no comments, no bytes behind its end.
///
/// Known blocks are allowed and all others are not. Decodes nothing; O(bytes).
package enum BareImage {
  /// Returns whether bytes that a decoder accepts are a bare image of a format; `false` for formats other than JPEG,
  /// PNG, WebP and GIF.
  package static func isBare(_ data: Data, format: ImageFormat) -> Bool {
    data.withUnsafeBytes { bytes in
      let bytes = RawSpan(_unsafeBytes: bytes)
      return switch format {
      case .jpeg: isBareJPEG(bytes)
      case .png, .apng: isBarePNG(bytes)
      case .webp: isBareWebP(bytes)
      case .gif: isBareGIF(bytes)
      default: false
      }
    }
  }

  /// Source: ITU-T T.81, annex B.
  private static func isBareJPEG(_ bytes: RawSpan) -> Bool {
    var offset = 2
    while bytes.byte(at: offset) == 0xFF, let marker = bytes.byte(at: offset + 1) {
      if marker == 0xD9 { return offset + 2 == bytes.byteCount }
      guard let length = bytes.uint16(at: offset + 2, bigEndian: true).map(Int.init), length >= 2 else {
        return false
      }
      switch marker {
      // Tables, scans, restart intervals.
      case 0xC4, 0xDA, 0xDB: break
      case 0xDD: guard length == 4 else { return false }
      // Frames with Huffman codes, of grey or YCbCr: others are delivered in other colours.
      case 0xC0...0xC2:
        guard let count = bytes.byte(at: offset + 9), count == 1 || count == 3, length == 8 + 3 * Int(count)
        else { return false }
      // JFIF without a thumbnail.
      case 0xE0: guard length == 16, bytes.holds("JFIF\0", at: offset + 4) else { return false }
      // The colour transform.
      case 0xEE: guard length == 14, bytes.holds("Adobe", at: offset + 4) else { return false }
      default: return false
      }
      offset += 2 + length
      if marker == 0xDA { offset = endOfScan(bytes, from: offset) }
    }
    return false
  }

  /// Returns the offset of the marker behind the codes of a scan.
  private static func endOfScan(_ bytes: RawSpan, from start: Int) -> Int {
    var offset = start
    while let byte = bytes.byte(at: offset) {
      if byte == 0xFF, let next = bytes.byte(at: offset + 1), next != 0, !(0xD0...0xD7).contains(next) {
        return offset
      }
      offset += 1
    }
    return offset
  }

  /// The chunks with their longest lengths.
  private static let chunks: [(StaticString, Int)] = [
    ("IHDR", 13), ("PLTE", 768), ("tRNS", 256), ("IDAT", .max), ("acTL", 8), ("fcTL", 26), ("fdAT", .max),
    ("sRGB", 1), ("sBIT", 4), ("pHYs", 9), ("bKGD", 6), ("IEND", 0),
  ]

  /// Source: W3C, Portable Network Graphics (third edition), §5.3.
  private static func isBarePNG(_ bytes: RawSpan) -> Bool {
    var offset = 8
    while let length = bytes.uint32(at: offset, bigEndian: true).map(Int.init) {
      guard chunks.contains(where: { bytes.holds($0.0, at: offset + 4) && length <= $0.1 }) else {
        return false
      }
      let isEnd = bytes.holds("IEND", at: offset + 4)
      offset += 12 + length
      if isEnd { return offset == bytes.byteCount }
    }
    return false
  }

  private static let webPChunks: [(StaticString, Int)] = [
    ("VP8 ", .max), ("VP8L", .max), ("VP8X", 10), ("ALPH", .max), ("ANIM", 6), ("ANMF", .max),
  ]

  /// Source: WebP Container Specification.
  private static func isBareWebP(_ bytes: RawSpan) -> Bool {
    guard bytes.uint32(at: 4, bigEndian: false).map({ Int($0) + 8 }) == bytes.byteCount else { return false }
    var offset = 12
    while let length = bytes.uint32(at: offset + 4, bigEndian: false).map(Int.init) {
      guard webPChunks.contains(where: { bytes.holds($0.0, at: offset) && length <= $0.1 }) else {
        return false
      }
      // The chunks of a frame follow its header.
      offset += bytes.holds("ANMF", at: offset) ? 24 : 8 + length + length % 2
    }
    return offset == bytes.byteCount
  }

  /// Source: GIF89a specification.
  private static func isBareGIF(_ bytes: RawSpan) -> Bool {
    func tableLength(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 6 << Int(flags & 7) }
    guard let flags = bytes.byte(at: 10) else { return false }
    var offset = 13 + tableLength(flags)
    while let block = bytes.byte(at: offset) {
      switch block {
      case 0x3B: return offset + 1 == bytes.byteCount
      case 0x2C:
        guard let flags = bytes.byte(at: offset + 9) else { return false }
        offset = endOfBlocks(bytes, from: offset + 11 + tableLength(flags))
      case 0x21:
        // Graphic control, and the number of repetitions.
        if bytes.holds([0xF9, 4], at: offset + 1), bytes.byte(at: offset + 7) == 0 {
          offset += 8
        } else if bytes.holds([0xFF, 11], at: offset + 1), bytes.holds("NETSCAPE2.0", at: offset + 3),
          bytes.holds([3, 1], at: offset + 14), bytes.byte(at: offset + 18) == 0
        {
          offset += 19
        } else {
          return false
        }
      default: return false
      }
    }
    return false
  }

  /// Returns the offset behind a series of sub-blocks and the empty one at its end.
  private static func endOfBlocks(_ bytes: RawSpan, from start: Int) -> Int {
    var offset = start
    while let length = bytes.byte(at: offset) {
      offset += 1 + Int(length)
      if length == 0 { break }
    }
    return offset
  }
}
