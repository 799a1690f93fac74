@testable import CalotypeImaging
import FoundationEssentials

/// A target for each reader of headers without a decoder.
enum DescriberTargets {
  static let all: [FuzzTarget] = [
    target("iso-media", ISOMediaDescriber()), target("tiff-directory", TIFFDescriber()),
    target("svg-root", SVGDescriber()), target("jxl-header", JXLDescriber()),
  ]

  /// As small as those of the decoders, with limits on lists.
  private static let limits: DecodeLimits = {
    var limits = DecoderTargets.limits
    (limits.maxItems, limits.maxPages) = (256, 32)
    return limits
  }()

  private static func target(_ name: String, _ reader: any ImageDescribing) -> FuzzTarget {
    FuzzTarget(name: name) { input in
      let data = input.data()
      let limits = input.choices.contains(.shrinks) ? DecodeLimits.default : limits
      let whole = try Promises.result { () throws(ImagingError) in try reader.probe(data, limits: limits) }
      if case .success(let info) = whole {
        try check(info, limits)
        try FuzzFailure.unless(
          reader.formats.contains(info.format), "probed as \(info.format), which is none of \(reader.formats)"
        )
      }
      // The header of the first bytes is that of the whole, unless the file proves to be damaged further on.
      let count = Int(input.first) * data.count / 255
      let part = try Promises.result { () throws(ImagingError) in
        try reader.header(of: data.prefix(count), limits: limits)
      }
      guard case .success(let header?) = part else { return }
      try check(header.info, limits)
      guard case .success(let info) = whole else { return }
      try FuzzFailure.unless(
        header.info == info, "\(count) of \(data.count) bytes are \(header.info), all are \(info)")
      let refusal = try Promises.result { () throws(ImagingError) in
        try reader.decode(data, minimumSize: nil, options: DecodeOptions(limits: limits))
      }
      guard case .failure(.unsupportedFormat) = refusal else {
        // Readers take inputs without a signature that sniffing accepts.
        try FuzzFailure.unless(reader.format(of: data) == nil, "decoded, or refused for another reason")
        return
      }
    }
  }

  private static func check(_ info: ImageInfo, _ limits: DecodeLimits) throws {
    let size = info.size
    try FuzzFailure.unless(
      size.width > 0 && size.height > 0 && size.pixelCount <= limits.maxPixels
        && max(size.width, size.height) <= limits.maxSide, "a size of \(size)")
    try FuzzFailure.unless(
      (1...limits.maxFrames).contains(info.frameCount) && (1...limits.maxPages).contains(info.pageCount),
      "\(info.frameCount) frames, \(info.pageCount) pages")
    try FuzzFailure.unless(
      info.durations.count == (info.frameCount == 1 ? 0 : info.frameCount)
        && info.durations.allSatisfy { $0 > .zero }, "durations \(info.durations)")
    try FuzzFailure.unless(info.loopCount >= 0 && (1...64).contains(info.bitDepth), "\(info.bitDepth) bits")
  }
}
