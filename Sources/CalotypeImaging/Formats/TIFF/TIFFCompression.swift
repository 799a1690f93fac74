/// The compression of strips and tiles (TIFF tag 259), as far as it is decoded.
enum TIFFCompression: Int, Sendable {
  case none = 1
  /// CCITT modified Huffman runs without row ends.
  case ccittRuns = 2
  case ccittGroup3 = 3
  case ccittGroup4 = 4
  case lzw = 5
  /// JPEG as in TIFF 6.0, section 22: its parts are scattered over tags.
  case oldJPEG = 6
  case jpeg = 7
  case deflate = 8
  case packBits = 32_773
  /// Deflate by its older number.
  case oldDeflate = 32_946
  case zstd = 50_000
  case webP = 50_001

  /// Reads the number of a compression.
  ///
  /// - Throws: ``ImagingError/unsupportedFormat(_:reason:)`` with the name of the compression.
  init(_ number: Int) throws(ImagingError) {
    guard let known = TIFFCompression(rawValue: number) else {
      let name = Self.refused[number].map { "\($0) (\(number))" } ?? "\(number)"
      throw .unsupportedFormat(.tiff, reason: "its compression is \(name)")
    }
    self = known
  }

  /// The names of compressions that are refused: they are rare, and their decoders are little tested with hostile bytes.
  private static let refused = [
    9: "JBIG", 10: "JBIG", 32_766: "NeXT", 32_771: "CCITT RLE with words", 32_809: "ThunderScan",
    32_895: "IT8", 32_896: "IT8", 32_897: "IT8", 32_898: "IT8", 32_908: "Pixar film", 32_909: "Pixar log",
    32_947: "DCS", 34_661: "JBIG", 34_676: "LogLuv", 34_677: "LogLuv", 34_712: "JPEG 2000", 34_887: "LERC",
    34_892: "lossy DNG JPEG", 34_925: "LZMA", 50_002: "JPEG XL", 52_546: "JPEG XL",
  ]

  /// A Boolean value that indicates whether the samples are bits of a fax.
  var isFax: Bool { [.ccittRuns, .ccittGroup3, .ccittGroup4].contains(self) }

  /// A Boolean value that indicates whether warnings of the decoder mean damaged data.
  var warnsOfDamage: Bool { isFax || self == .jpeg }
}
