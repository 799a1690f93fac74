/// The configuration of the decoder of an item: the depth of its samples, and the bytes for the decoder.
package struct CodecConfiguration: Hashable, Sendable {
  /// The type of the box: `av1C`, `hvcC` or another.
  package let type: FourCC
  /// The content of the box, as a range of the file.
  package let content: Range<Int>
  /// Bits per sample; `nil` if the codec is not known.
  package let bitDepth: Int?
  /// Samples of each pixel: 1 for luma alone, 1.5 for 4:2:0, 3 for 4:4:4, which also stands for what is not known.
  package let samplesPerPixel: Double

  /// Reads `av1C` (AV1-ISOBMFF, 2.3.3), `hvcC` (ISO/IEC 14496-15, 8.3.3.1), or the type of another configuration.
  package init(_ box: ISOBox, _ bytes: RawSpan, format: ImageFormat) throws(ImagingError) {
    (type, content) = (box.type, box.content)
    let start = box.content.lowerBound
    switch box.type {
    case "av1C":
      guard box.content.count >= 4, let flags = bytes.byte(at: start + 2) else {
        throw .corrupt(format, reason: "the box av1C is too short", offset: box.offset)
      }
      let isHigh = flags & 0x40 != 0
      bitDepth = isHigh ? (flags & 0x20 != 0 ? 12 : 10) : 8
      samplesPerPixel =
        switch flags & 0x1C {
        case 0x0C: 1.5
        case 0x08: 2
        case 0x10...: 1
        default: 3
        }
    case "hvcC":
      guard box.content.count >= 23, let chroma = bytes.byte(at: start + 16),
        let depth = bytes.byte(at: start + 17)
      else { throw .corrupt(format, reason: "the box hvcC is too short", offset: box.offset) }
      bitDepth = Int(depth & 7) + 8
      samplesPerPixel = [1, 1.5, 2, 3][Int(chroma & 3)]
    default:
      (bitDepth, samplesPerPixel) = (nil, 3)
    }
  }
}
