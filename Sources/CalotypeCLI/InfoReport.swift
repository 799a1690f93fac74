import Calotype
import FoundationEssentials

/// What `calotype info` says about one image.
struct InfoReport: Encodable {
  let source: String
  let format: String
  let width: Int
  let height: Int
  let frames: Int
  let loopCount: Int
  let durations: [Int]
  let hasAlpha: Bool
  let bitDepth: Int
  let orientation: Int
  let colorProfile: Nullable
  let bytes: Int
  let pixelsSHA256: [String]?
  let facts: Facts?

  /// What the picture looks like.
  struct Facts: Encodable {
    struct Dominant: Encodable {
      let color: String
      let share: Double
    }

    let averageColor: String
    let dominantColors: [Dominant]
    let hasTransparency: Bool
    let blurHash: String
    /// In Base64, as its makers write it.
    let thumbHash: String

    /// Of a thumbnail, at a fraction of the cost: a few transparent pixels in a large picture go unseen.
    init(of data: Data, _ coders: CoderRegistry) throws(ImagingError) {
      let options = DecodeOptions(thumbnail: .fit(256, 256))
      let facts = try coders.decode(data, options: options).bitmap.facts()
      averageColor = "#" + facts.averageColor.hex
      dominantColors = facts.dominantColors.map {
        Dominant(color: "#" + $0.color.hex, share: ($0.share * 1000).rounded() / 1000)
      }
      hasTransparency = facts.hasTransparency
      blurHash = facts.blurHash
      thumbHash = Data(facts.thumbHash).base64EncodedString()
    }
  }

  init(of data: Data, from source: String, command: InfoCommand) throws {
    let options = DecodeOptions(
      appliesOrientation: command.upright, colors: command.srgb ? .sRGB : .asStored)
    let coders = command.coders.registry
    let info: ImageInfo
    if let chunk = command.chunk {
      var hashes: [String] = []
      info = try Self.drip(
        data, by: chunk, coders, options: options, firstFrameOnly: command.firstFrame, into: &hashes)
      pixelsSHA256 = command.hash ? hashes : nil
    } else {
      info = try coders.probe(data)
      pixelsSHA256 =
        command.hash ? try Self.hashes(of: data, coders, options, firstFrameOnly: command.firstFrame) : nil
    }
    facts = command.facts ? try Facts(of: data, coders) : nil
    self.source = source
    format = info.format.rawValue
    width = info.size.width
    height = info.size.height
    frames = info.frameCount
    loopCount = info.loopCount
    durations = info.durations
    hasAlpha = info.hasAlpha
    bitDepth = info.bitDepth
    orientation = info.orientation.rawValue
    colorProfile = Nullable(value: info.colorProfile)
    bytes = data.count
  }

  /// Written as `null` where there is none: every line has every field.
  struct Nullable: Encodable {
    let value: String?

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      if let value { try container.encode(value) } else { try container.encodeNil() }
    }
  }

  private static func hashes(
    of data: Data, _ coders: CoderRegistry, _ options: DecodeOptions, firstFrameOnly: Bool
  ) throws -> [String] {
    if firstFrameOnly {
      return [PixelHash.sha256(of: try coders.decode(data, options: options).bitmap)]
    }
    let animation = try AnimatedImage(data: data, coders: coders, options: options)
    return try (0..<animation.frameCount).map { PixelHash.sha256(of: try animation.frame(at: $0).bitmap) }
  }

  /// Feeds the bytes in pieces and hashes frames as they become complete.
  private static func drip(
    _ data: Data, by size: Int, _ coders: CoderRegistry, options: DecodeOptions, firstFrameOnly: Bool,
    into hashes: inout [String]
  ) throws -> ImageInfo {
    let decoder = coders.makeIncrementalDecoder(options: options)
    func look() throws {
      while !firstFrameOnly, hashes.count < decoder.completeFrameCount {
        hashes.append(PixelHash.sha256(of: try decoder.frame(at: hashes.count).bitmap))
      }
    }
    var start = data.startIndex
    while start < data.endIndex {
      let end = data.index(start, offsetBy: size, limitedBy: data.endIndex) ?? data.endIndex
      try decoder.append(data[start..<end])
      try look()
      start = end
    }
    let image = try decoder.finish()
    try look()
    if hashes.isEmpty { hashes = [PixelHash.sha256(of: image.bitmap)] }
    guard let info = decoder.info ?? image.info else {
      throw ImagingError.unrecognizedFormat(hint: nil)
    }
    return info
  }

  func print() {
    Output.line(source)
    var traits = ["\(format), \(width)×\(height) pixels", "\(bitDepth) bits per sample"]
    if hasAlpha { traits.append("with transparency") }
    if orientation != 1 { traits.append("orientation \(orientation)") }
    traits.append(Formatting.bytes(bytes))
    Output.line("  " + traits.joined(separator: ", "))
    if frames > 1 {
      let total = Duration.milliseconds(durations.reduce(0, +))
      let plays = loopCount == 0 ? "for ever" : Formatting.count(loopCount, "time")
      Output.line("  \(frames) frames, \(Formatting.duration(total)), plays \(plays)")
    }
    if let colorProfile = colorProfile.value { Output.line("  colour profile: \(colorProfile)") }
    if let facts {
      Output.line("  average colour \(facts.averageColor)")
      let shares = facts.dominantColors.map { "\($0.color) \(Int(($0.share * 100).rounded())) %" }
      Output.line("  dominant colours " + shares.joined(separator: ", "))
      Output.line("  BlurHash \(facts.blurHash)")
      Output.line("  ThumbHash \(facts.thumbHash)")
    }
    for hash in pixelsSHA256 ?? [] { Output.line("  sha256 \(hash)") }
  }
}
