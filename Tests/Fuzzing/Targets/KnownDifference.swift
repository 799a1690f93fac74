import CalotypeImaging
import FoundationEssentials

/// The ways in which a library decodes otherwise than this package, each with its reason. DocC/LibraryCoders.md lists
/// them for users.
struct KnownDifference: Sendable {
  /// What tells it from others.
  let name: String
  /// Why it is no defect.
  let reason: String
  /// Whether a difference, found in some bytes, is of this kind.
  let matches: @Sendable (LibraryComparison.Difference, Data) -> Bool

  /// The kind of a difference; `nil` if it is unknown.
  static func kind(of difference: LibraryComparison.Difference, in data: Data) -> KnownDifference? {
    all.first { $0.matches(difference, data) }
  }

  /// All kinds.
  static let all: [KnownDifference] = [
    // JPEG.
    library(
      "warnings", "TurboJPEG reports harmless oddities and concealed damage alike, as one warning",
      .jpeg,
      [
        "Corrupt JPEG data", "Inconsistent progression", "Invalid SOS parameters", "Unknown Adobe",
        "Warning: unknown JFIF",
      ]),
    library(
      "missing end marker", "all pixels are there, and TurboJPEG reads on to the end marker", .jpeg,
      ["truncated"]),
    library(
      "behind the picture", "TurboJPEG reads segments behind the last scan",
      .jpeg, ["Invalid JPEG file structure", "Unsupported", "Bogus", "Invalid component ID", "Didn't expect"]),
    KnownDifference(
      name: "scans behind the picture",
      reason: "scans are counted to the last before TurboJPEG sees the first"
    ) { difference, _ in
      guard case .refusedByLibrary(.limitExceeded(.scans, _, _)) = difference else { return false }
      return true
    },
    ours(
      "bad Huffman codes", "libjpeg's fast loop takes a code that is too long for 0, and warns of none",
      .jpeg, ["Corrupt JPEG data: bad Huffman code"]),
    KnownDifference(
      name: "coefficients left behind",
      reason:
        "where libjpeg's fast loop meets a marker or a fill byte, it begins the block anew and keeps what it had read"
    ) { difference, data in
      guard case .pixels = difference else { return false }
      return JPEGOutline(data).hasMarkerInScan
    },
    // PNG.
    KnownDifference(
      name: "transparent grey beyond the depth",
      reason: "only as many bits of tRNS count as samples have (PNG, 11.3.2.1); libspng compares all"
    ) { difference, data in
      guard case .pixels = difference else { return false }
      return PNGOutline(data).hasWideTransparency
    },
    KnownDifference(
      name: "names of profiles",
      reason: "libspng passes over profiles whose names are not words of printable Latin-1 (PNG, 11.3.3.3)"
    ) { difference, data in
      guard case .refusedByUs = difference else { return PNGOutline(data).hasOddProfileName }
      return false
    },
    ours(
      "checksum behind the last row", "libspng stops reading with the last row, before the CRC of its chunk",
      .png, ["the CRC of an IDAT chunk is wrong"]),
    ours(
      "a second palette", "the standard allows one (PNG, 11.2.2); libspng takes the last", .png,
      ["a second PLTE chunk"]),
    ours(
      "chunk types", "libspng passes over chunks whose type is not four letters", .png,
      ["a chunk type is not"]),
    library(
      "checksum of the stream", "libspng reads the Adler-32 behind the last row", .png, ["IDAT stream error"]),
    library(
      "limits of chunks", "what is too large is refused, not passed over", .png,
      ["reached chunk/cache limits"]),
    library(
      "order and sizes of chunks", "libspng refuses chunks that this package passes over",
      .png, ["invalid chunk position", "invalid chunk size", "invalid chunk"]),
    library(
      "last chunk", "libspng wants the chunk of the last row to be there to its end", .png, ["truncated"]),
    KnownDifference(
      name: "damaged animations",
      reason:
        "here, the first frame of a damaged APNG is a picture, and the frame in which a file ends is counted"
    ) { difference, data in
      switch difference {
      case .refusedByLibrary(.corrupt(.apng, _, _)), .refusedByLibrary(.truncated(.apng, _)): return true
      case .facts, .refusedByUs, .refusedByLibrary:
        let outline = PNGOutline(data)
        return outline.isAnimated && outline.isCut
      case .pixels: return false
      }
    },
    // GIF.
    library(
      "bytes between records", "browsers skip bytes that begin no record; giflib gives up",
      .gif, ["Wrong record type"]),
    library(
      "later records",
      "giflib reads code sizes and sub-blocks of all frames, also those behind a damaged one",
      .gif, ["truncated", "giflib gives up"]),
    ours(
      "undefined codes", "giflib takes an LZW code that nothing defines for the next one",
      .gif, ["there is an LZW code that nothing defines"]),
    ours("code size 0", "no GIF has it: codes need a bit; giflib reads on", .gif, ["the LZW code size is 0"]),
  ]

  /// The library refuses with one of these messages, or codes.
  private static func library(
    _ name: String, _ reason: String, _ format: ImageFormat, _ messages: [String]
  ) -> KnownDifference {
    KnownDifference(name: name, reason: reason) { difference, _ in
      guard case .refusedByLibrary(let error) = difference else { return false }
      return isOne(error, format, messages)
    }
  }

  /// This package refuses with one of these messages.
  private static func ours(
    _ name: String, _ reason: String, _ format: ImageFormat, _ messages: [String]
  ) -> KnownDifference {
    KnownDifference(name: name, reason: reason) { difference, _ in
      guard case .refusedByUs(let error) = difference else { return false }
      return isOne(error, format, messages)
    }
  }

  private static func isOne(_ error: ImagingError, _ format: ImageFormat, _ messages: [String]) -> Bool {
    func isSame(_ other: ImageFormat) -> Bool { other == format || (format == .png && other == .apng) }
    switch error {
    case .corrupt(let other, let reason, _):
      return isSame(other) && messages.contains { reason.hasPrefix($0) }
    case .truncated(let other, _): return isSame(other) && messages.contains("truncated")
    default: return false
    }
  }
}

/// As much of a JPEG as known differences depend on.
private struct JPEGOutline {
  /// Whether there is something else than a restart or the end behind 0xFF in the data of a scan.
  var hasMarkerInScan = false

  init(_ data: Data) {
    let bytes = [UInt8](data)
    guard bytes.starts(with: [0xFF, 0xD8]) else { return }
    var offset = 2
    while offset + 4 <= bytes.count, bytes[offset] == 0xFF {
      let marker = bytes[offset + 1]
      // Any number of fill bytes may come before a marker.
      if marker == 0xFF {
        offset += 1
        continue
      }
      offset += 2 + Int(bytes[offset + 2]) << 8 + Int(bytes[offset + 3])
      if marker == 0xDA { break }
    }
    var isEnded = false
    for (first, second) in zip(bytes.dropFirst(offset), bytes.dropFirst(offset + 1)) where first == 0xFF {
      if isEnded || !(second == 0 || (0xD0...0xD7).contains(second) || second == 0xD9) {
        hasMarkerInScan = true
      }
      isEnded = isEnded || second == 0xD9
    }
  }
}

/// As much of a PNG as known differences depend on.
private struct PNGOutline {
  var isAnimated = false
  /// Whether the file ends before IEND, or within a chunk.
  var isCut = true
  /// Whether tRNS has bits that samples have not.
  var hasWideTransparency = false
  /// Whether the name of a colour profile is no keyword.
  var hasOddProfileName = false

  init(_ data: Data) {
    let bytes = [UInt8](data)
    var offset = 8
    while offset + 12 <= bytes.count {
      let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length <= bytes.count - offset - 12 else { return }
      let payload = bytes[offset + 8..<offset + 8 + length]
      switch String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self) {
      case "acTL": isAnimated = true
      case "tRNS" where bytes.count > 25 && bytes[25] & 1 == 0 && bytes[24] < 16 && length % 2 == 0:
        let samples = stride(from: payload.startIndex, to: payload.endIndex, by: 2).map {
          Int(payload[$0]) << 8 | Int(payload[$0 + 1])
        }
        hasWideTransparency = samples.contains { $0 >> Int(bytes[24]) != 0 }
      case "iCCP":
        let name = payload.prefix { $0 != 0 }
        hasOddProfileName =
          !(1...79).contains(name.count) || name.first == 32 || name.last == 32
          || zip(name, name.dropFirst()).contains { $0 == 32 && $1 == 32 }
          || name.contains { !(32...126).contains($0) && $0 < 161 }
      case "IEND":
        isCut = false
        return
      default: break
      }
      offset += 12 + length
    }
  }
}
