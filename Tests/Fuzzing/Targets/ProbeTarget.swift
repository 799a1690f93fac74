@testable import CalotypeImaging
import FoundationEssentials

/// Everything that looks at headers: sniffing, probing by each decoder, Exif and ICC blocks.
enum ProbeTarget {
  private static let decoders: [any ImageDecoding] = [
    JPEGDecoder(), PNGDecoder(), WebPDecoder(), GIFDecoder(),
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
      try FuzzFailure.unless(format == info.format, "format \(format as Any), probed as \(info.format)")
    }
    // Also those that do not claim the input: they may be called with anything.
    for decoder in decoders {
      let result = try Promises.result { () throws(ImagingError) in try decoder.probe(data, limits: limits) }
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
