@testable import CalotypeImaging
import FoundationEssentials

/// Everything that looks at headers: sniffing, probing by each decoder, Exif and ICC blocks.
enum ProbeTarget {
  private static let decoders: [any ImageDecoding] = [
    JPEGDecoder(), PNGDecoder(), WebPDecoder(), GIFDecoder(), BMPDecoder(), ICODecoder(), QOIDecoder(),
    ISOMediaDescriber(), TIFFDescriber(), JXLDescriber(), SVGDescriber(),
  ]

  static func run(_ input: FuzzInput) throws {
    let data = DecoderTargets.data(input)
    let registry = CoderRegistry.standard
    let limits = input.choices.contains(.shrinks) ? DecodeLimits.default : DecoderTargets.limits
    let format = registry.format(of: data)
    try FuzzFailure.unless(
      ImageFormat.sniff(data) == ImageFormat.sniff(data.prefix(ImageFormat.sniffLength(of: data))),
      "sniffing depends on what follows the first \(ImageFormat.sniffLength(of: data)) bytes")
    let result = try Promises.result { () throws(ImagingError) in try registry.probe(data, limits: limits) }
    if case .success(let info) = result {
      try check(info, limits)
      // Sniffing does not check the checksum of `acTL`, and without that chunk the image is still.
      let isSniffed = format == info.format || format == .apng && info.format == .png
      try FuzzFailure.unless(isSniffed, "format \(format as Any), probed as \(info.format)")
    }
    // Also those that do not claim the input: they may be called with anything.
    for decoder in decoders {
      let result = try Promises.result { () throws(ImagingError) in try decoder.probe(data, limits: limits) }
      try checkHeaders(of: data, decoder, limits, cut: Int(input.first) << 8 | Int(input.second))
      guard case .success(let info) = result else { continue }
      try check(info, limits)
    }
    _ = Exif.orientation(in: data)
    if let name = ICCProfile.description(of: data) {
      try FuzzFailure.unless(
        !name.isEmpty && !name.contains("\n"), "a profile called \(name.debugDescription)")
    }
    _ = ImageFormat.hint(forUnrecognized: data)
  }

  /// A header that is read from some bytes is that of more bytes too.
  private static func checkHeaders(
    of data: Data, _ decoder: any ImageDecoding, _ limits: DecodeLimits, cut: Int
  ) throws {
    func header(_ data: Data) throws -> Result<ImageHeader?, ImagingError> {
      try Promises.result { () throws(ImagingError) in try decoder.header(of: data, limits: limits) }
    }
    guard case .success(let early?) = try header(data.prefix(cut)) else { return }
    // Later frames may be damaged.
    guard case .success(let found) = try header(data) else { return }
    guard let late = found else {
      throw FuzzFailure("a header in \(cut) bytes, but none in \(data.count)")
    }
    try FuzzFailure.unless(
      early.info.size == late.info.size && early.info.format == late.info.format
        && early.info.bitDepth == late.info.bitDepth,
      "the header of \(cut) bytes is \(early), that of all \(late)")
  }

  private static func check(_ info: ImageInfo, _ limits: DecodeLimits) throws {
    try FuzzFailure.unless(
      info.size.width > 0 && info.size.height > 0 && info.size.pixelCount <= limits.maxPixels,
      "probed \(info.size)")
    try FuzzFailure.unless(
      info.frameCount > 0 && info.frameCount <= limits.maxFrames && info.loopCount >= 0,
      "\(info.frameCount) frames, \(info.loopCount) plays")
    try FuzzFailure.unless(
      info.durations.count == (info.frameCount == 1 ? info.durations.count : info.frameCount)
        && info.durations.allSatisfy { $0 >= .zero }, "durations \(info.durations)")
    try FuzzFailure.unless((1...64).contains(info.bitDepth), "\(info.bitDepth) bits")
  }
}
