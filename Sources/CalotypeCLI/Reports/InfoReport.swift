import Calotype
import CalotypeSupport
import FoundationEssentials
import CalotypeTerminal

/// The report of `calotype info` on one image.
struct InfoReport: Encodable {
  let source: String
  let format: String
  let width: Int
  let height: Int
  let frames: Int
  /// Whether there are no more frames than those that were counted.
  let hasAllFrames: Bool
  let loopCount: Int
  let durations: [Int]
  let hasAlpha: Bool
  let bitDepth: Int
  let orientation: Int
  let colorProfile: Nullable<String>
  /// 1 for all formats but TIFF.
  let pageCount: Int
  let hasGainMap: Bool
  let isVector: Bool
  /// `standard`, `pq` or `hlg`.
  let dynamicRange: String
  /// Whether the pixels are damaged, if they were decoded; otherwise `null`, unless the structure of the
  /// file is damaged.
  let isDamaged: Nullable<Bool>
  /// The length of the image; `null` if its server does not tell, and it was not loaded as a whole.
  let bytes: Nullable<Int>
  /// The number of bytes that were loaded or read.
  let loadedBytes: Int
  let pixelsSHA256: [String]?
  let facts: Facts?

  /// Facts about the look of the image.
  struct Facts: Encodable {
    struct Dominant: Encodable {
      let color: String
      let share: Double
    }

    let averageColor: String
    let dominantColors: [Dominant]
    let hasTransparency: Bool
    let blurHash: String
    /// The hash in Base64, as usual for ThumbHash.
    let thumbHash: String

    init(_ facts: ImageSummary) {
      averageColor = "#" + facts.averageColor.hex
      dominantColors = facts.dominantColors.map {
        Dominant(color: "#" + $0.color.hex, share: ($0.share * 1000).rounded() / 1000)
      }
      hasTransparency = facts.hasTransparency
      blurHash = facts.blurHash
      thumbHash = Data(facts.thumbHash).base64EncodedString()
    }
  }

  /// The options of a report.
  struct Options: Sendable {
    /// Whether pixels are decoded even if no other option needs them.
    var decodes: Bool
    var hash: Bool
    var facts: Bool
    var firstFrame: Bool
    /// The number of bytes passed to the incremental decoder at a time; `nil` for all at once.
    var chunk: Int?
  }

  /// Creates the report on the image of a request, whose pixels the pipeline decodes.
  ///
  /// Two things need no pipeline: the header, which is read from the bytes, and `--chunk`, whose purpose is
  /// to feed the incremental decoder in pieces that the user chooses.
  init(
    of request: ImageRequest, from source: String, _ command: Options, by pipeline: ImagePipeline,
    _ workers: WorkerExecutor
  ) async throws {
    let data = try await pipeline.data(for: request).data
    let coders = request.coders?.part ?? pipeline.configuration.coders
    let limits = pipeline.configuration.decodeLimits
    var atHand = request
    atHand.source = .data(data, id: source)
    atHand.cachePolicy = .loaderOnly
    let info: ImageInfo
    var images: [Digest]?
    if let chunk = command.chunk {
      var options = request.decoding
      options.limits = limits
      (info, images) = try await workers.run { [options] in
        var images: [Digest] = []
        let info = try Self.drip(
          data, by: chunk, coders, options: options, firstFrameOnly: command.firstFrame
        ) { images.append(Self.digest($0)) }
        return (info, images)
      }
    } else {
      let needsPixels = command.hash || command.decodes || command.facts
      info = try await workers.run {
        try needsPixels ? coders.decodableInfo(of: data, limits: limits) : coders.probe(data, limits: limits)
      }
      if command.hash || command.decodes {
        atHand.frames = command.firstFrame ? .first : .all
        images = try await Self.digests(of: pipeline.response(for: atHand), workers)
      }
    }
    self.init(
      ImageHeader(info: info, hasAllFrames: true), from: source, bytes: data.count, loadedBytes: data.count,
      isDamaged: images.map { $0.contains { $0.isDamaged } },
      hashes: command.hash ? images?.map(\.hash) : nil,
      facts: command.facts ? try await Self.facts(of: atHand, by: pipeline) : nil)
  }

  /// Creates the report on a header.
  init(_ response: InfoResponse, from source: String) {
    self.init(
      ImageHeader(info: response.info, hasAllFrames: response.hasAllFrames), from: source,
      bytes: response.byteCount, loadedBytes: response.loadedByteCount)
  }

  private init(
    _ header: ImageHeader, from source: String, bytes: Int?, loadedBytes: Int, isDamaged: Bool? = nil,
    hashes: [String]? = nil, facts: Facts? = nil
  ) {
    let info = header.info
    (self.facts, pixelsSHA256) = (facts, hashes)
    (self.bytes, self.loadedBytes) = (Nullable(value: bytes), loadedBytes)
    hasAllFrames = header.hasAllFrames
    self.source = source
    format = info.format.rawValue
    width = info.size.width
    height = info.size.height
    frames = info.frameCount
    loopCount = info.loopCount
    durations = info.durations.map(\.wholeMilliseconds)
    hasAlpha = info.hasAlpha
    bitDepth = info.bitDepth
    orientation = info.orientation.rawValue
    colorProfile = Nullable(value: info.colorProfile)
    pageCount = info.pageCount
    hasGainMap = info.hasGainMap
    isVector = info.isVector
    dynamicRange = info.dynamicRange.rawValue
    self.isDamaged = Nullable(value: info.isDamaged ? true : isDamaged)
  }

  /// Returns the facts about the look of an image, computed from a thumbnail, at a fraction of the cost: a few
  /// transparent pixels in a large image are missed.
  private static func facts(of request: ImageRequest, by pipeline: ImagePipeline) async throws -> Facts {
    var request = request
    request.decoding = DecodeOptions(thumbnail: .fit(width: 256, height: 256))
    request.frames = .first
    return Facts(try await pipeline.summary(of: try await pipeline.image(for: request)))
  }

  /// A value encoded as `null` if absent, so that every line has every field.
  struct Nullable<Value: Encodable & Sendable>: Encodable {
    let value: Value?

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      if let value { try container.encode(value) } else { try container.encodeNil() }
    }
  }

  private typealias Digest = (hash: String, isDamaged: Bool)

  private static func digest(_ image: Image) -> Digest {
    (PixelHash.sha256(of: image.bitmap), image.isDamaged)
  }

  private static func digests(of response: ImageResponse, _ workers: WorkerExecutor) async throws -> [Digest]
  {
    try await workers.run {
      guard let animation = response.animation else { return [digest(response.image)] }
      return try (0..<animation.frameCount).map { digest(try animation.frame(at: $0)) }
    }
  }

  /// Feeds the bytes in pieces, and publishes frames as they become complete.
  private static func drip(
    _ data: Data, by size: Int, _ coders: CoderRegistry, options: DecodeOptions, firstFrameOnly: Bool,
    show: (Image) -> Void
  ) throws -> ImageInfo {
    let decoder = coders.makeIncrementalDecoder(options: options)
    var count = 0
    func look() throws {
      while !firstFrameOnly, count < decoder.completeFrameCount {
        show(try decoder.frame(at: count))
        count += 1
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
    if count == 0 { show(image) }
    guard let info = decoder.info ?? image.info else {
      throw ImagingError.unrecognizedFormat(hint: nil)
    }
    return info
  }

  func print() {
    Output.line(source)
    var traits = ["\(format), \(width)×\(height) pixels", "\(bitDepth) bits per sample"]
    if hasAlpha { traits.append("with transparency") }
    if pageCount > 1 { traits.append(Formatting.count(pageCount, "page")) }
    if isVector { traits.append("drawing") }
    if dynamicRange != "standard" { traits.append("high dynamic range (\(dynamicRange.uppercased()))") }
    if hasGainMap { traits.append("gain map") }
    if orientation != 1 { traits.append("orientation \(orientation)") }
    if isDamaged.value == true { traits.append("damaged") }
    if let bytes = bytes.value { traits.append(Formatting.bytes(bytes)) }
    Output.line("  " + traits.joined(separator: ", "))
    if !hasAllFrames {
      // Only an APNG announces its frames.
      Output.line(format == "apng" ? "  \(frames) frames" : "  \(Formatting.count(frames, "frame")) or more")
    } else if frames > 1 {
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
