import CalotypeImaging
import CalotypePlanning
import CalotypeURLs
import FoundationEssentials

/// All facts about a source, as the object that `/info` answers with.
struct InfoFacts: Sendable {
  /// The header, of the requested page.
  let info: ImageInfo
  /// Metadata and colours, if they are asked for.
  let parts: ImageParts?
  /// The number of bytes, if it is known.
  let byteCount: Int?
  /// The crop, if it is asked for.
  var crop: RelativeArea?
  /// The facts of pixels, if they are asked for.
  var pixels: PixelFacts?
  /// The digests of the bytes.
  var hashsums: [(algorithm: ProcessingOptions.Hashsum.Algorithm, hex: String)] = []

  /// Returns the object of the facts that are asked for. Facts that the source does not have are not in it.
  func object(_ options: InfoOptions) -> JSONValue {
    var members: [JSONValue.Member] = []
    func add(_ name: String, _ value: JSONValue?) {
      if let value { members.append(JSONValue.Member(name, value)) }
    }
    if options.size { add("size", byteCount.map { .integer($0) }) }
    if options.format {
      add("format", .string(RequestedFormat(info.format)?.rawValue ?? info.format.rawValue))
      add("mime_type", info.format.mimeType.map { .string($0) })
    }
    if options.dimensions {
      let size = info.orientation.apply(to: info.size)
      add("width", .integer(size.width))
      add("height", .integer(size.height))
      add("orientation", .integer(info.orientation.rawValue))
    }
    addMetadata(options, add)
    let colors = parts?.colorModel ?? .rgb
    if options.colorspace { add("colorspace", .string(colors.name(bits: info.bitDepth))) }
    if options.bands { add("bands", .integer(colors.channelCount + (info.hasAlpha ? 1 : 0))) }
    if options.sampleFormat { add("sample_format", .string(info.bitDepth > 8 ? "ushort" : "uchar")) }
    if options.pagesNumber { add("pages_number", .integer(max(1, info.pageCount, info.frameCount))) }
    if options.alpha {
      let check = pixels?.hasTransparency.map { JSONValue.Member("transparent", .flag($0)) }
      add("alpha", .object([.init("present", .flag(info.hasAlpha))] + (check.map { [$0] } ?? [])))
    }
    addPixels(add)
    if !hashsums.isEmpty {
      add("hashsums", .object(hashsums.map { .init($0.algorithm.rawValue, .string($0.hex)) }))
    }
    return .object(members)
  }

  private func addMetadata(_ options: InfoOptions, _ add: (String, JSONValue?) -> Void) {
    guard let parts else { return }
    if options.exif, let exif = parts.metadata.exif {
      add("exif", ExifFields.object(of: exif, isCanonical: options.hasCanonicalNames))
    }
    if options.iptc {
      add("iptc", parts.iptc.flatMap { IPTCFields.object(of: $0) })
      let resolution = parts.photoshopResource(PhotoshopResolution.resource)
      add(
        "photoshop",
        resolution.flatMap { PhotoshopResolution.object(of: $0) }.map {
          .object([.init("resolution", $0)])
        })
    }
    if options.xmp { add("xmp", parts.metadata.xmp.flatMap { XMPFields.object(of: $0) }) }
  }

  private func addPixels(_ add: (String, JSONValue?) -> Void) {
    if let area = pixels?.crop ?? crop {
      add(
        "crop",
        .object([
          .init("left", .number(area.left)), .init("top", .number(area.top)),
          .init("width", .number(area.width)), .init("height", .number(area.height)),
        ]))
    }
    guard let pixels else { return }
    add("palette", pixels.palette.map { .array($0.map { $0.object(hasAlpha: true) }) })
    add("average", pixels.average?.object(hasAlpha: true))
    add("dominant_colors", pixels.swatches?.object)
    add("blurhash", pixels.blurHash.map { .string($0) })
    add("thumb_hash", pixels.thumbHash.map { .string(HexText.text($0)) })
    add("perceptual_hash", pixels.perceptualHash.map { .string($0.description) })
  }
}

extension ImageParts.ColorModel {
  /// The name of libvips.
  fileprivate func name(bits: Int) -> String {
    switch self {
    case .gray: bits > 8 ? "grey16" : "b-w"
    case .rgb: bits > 8 ? "rgb16" : "srgb"
    case .cmyk: "cmyk"
    }
  }
}

extension PixelColor {
  fileprivate func object(hasAlpha: Bool) -> JSONValue {
    let colors: [JSONValue.Member] = [
      .init("R", .integer(Int(red))), .init("G", .integer(Int(green))), .init("B", .integer(Int(blue))),
    ]
    return .object(colors + (hasAlpha ? [.init("A", .integer(Int(alpha)))] : []))
  }
}

extension Swatches {
  fileprivate var object: JSONValue {
    let all: [(String, PixelColor?)] = [
      ("vibrant", vibrant), ("light_vibrant", lightVibrant), ("dark_vibrant", darkVibrant),
      ("muted", muted), ("light_muted", lightMuted), ("dark_muted", darkMuted),
    ]
    return .object(all.compactMap { name, color in color.map { .init(name, $0.object(hasAlpha: false)) } })
  }
}
