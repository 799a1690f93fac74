/// The storage of the samples of a directory, read without judgement: what is missing has its default.
struct TIFFCoding: Sendable {
  /// The meaning of the samples (tag 262).
  enum Photometric: Int, Sendable {
    case minIsWhite = 0
    case minIsBlack = 1
    case rgb = 2
    case palette = 3
    case mask = 4
    case inks = 5
    case yCbCr = 6
    case lab = 8
  }

  let compression: TIFFCompression
  let photometric: Photometric
  /// A Boolean value that indicates whether each sample has strips or tiles of its own.
  let isPlanar: Bool
  /// 1 unsigned, 2 signed, 3 floating point, 4 unknown.
  let sampleFormat: Int
  /// A Boolean value that indicates whether the bits of each byte are in reverse order.
  let isReversed: Bool
  /// A Boolean value that indicates whether all samples have as many bits as the first.
  let hasEqualBits: Bool
  /// 1 for cyan, magenta, yellow and black.
  let inkSet: Int

  /// - Throws: ``ImagingError/unsupportedFormat(_:reason:)`` for an unknown compression or meaning.
  init(_ directory: TIFFDirectory, _ bytes: RawSpan, in file: TIFFFile) throws(ImagingError) {
    let entries = directory.entries
    func value(_ tag: TIFFTag) -> Int? { entries[tag]?.integer(bytes, in: file) }
    compression = try TIFFCompression(value(.compression) ?? 1)
    isPlanar = value(.planarConfiguration) == 2 && directory.samplesPerPixel > 1
    sampleFormat = value(.sampleFormat) ?? 1
    isReversed = value(.fillOrder) == 2
    inkSet = value(.inkSet) ?? 1
    var isEqual = true
    if let bits = entries[.bitsPerSample] {
      for index in 0..<min(bits.count, directory.samplesPerPixel) {
        isEqual = isEqual && bits.integer(at: index, bytes, in: file) == directory.bitsPerSample
      }
    }
    hasEqualBits = isEqual
    guard let number = value(.photometric) else {
      // Some writers leave it out.
      let isGray = directory.samplesPerPixel - directory.extraSamples.count < 3
      photometric = !isGray ? .rgb : compression.isFax ? .minIsWhite : .minIsBlack
      return
    }
    guard let known = Photometric(rawValue: number) else {
      let name = Self.refused[number].map { "\($0) (\(number))" } ?? "of the kind \(number)"
      throw .unsupportedFormat(.tiff, reason: "its colours are \(name)")
    }
    photometric = known
  }

  private static let refused = [
    9: "ICC Lab", 10: "ITU Lab", 32_803: "a colour filter array", 32_844: "LogL", 32_845: "LogLuv",
    34_892: "linear raw",
  ]
}
