import Calotype
import CalotypeAdmission
import CalotypeCaching
import CalotypeImaging
import CalotypePlanning
import CalotypeResults
import CalotypeURLs
import Crypto
import FoundationEssentials

/// Makes the answers of `/info`: from the first bytes of a source, or all of them, and pixels if they are asked for.
struct InfoMaker: Sendable {
  let pipeline: ImagePipeline
  let admission: Admission
  let metrics: ServerMetrics
  let fetcher: SourceFetcher
  let store: ResultStore

  /// The longest block of metadata that is read.
  static let blockLimit = 1 << 20
  /// The predicted milliseconds of each fact of pixels.
  private static let factMilliseconds = 4.0

  /// Returns the answer to an order; the known one, with its new freshness, if its source has not changed.
  ///
  /// - Parameter deadline: The time of ``Admission/now`` after which the result is of no use.
  /// - Throws: The errors that ``Failure/init(_:)`` knows.
  func result(
    _ options: InfoOptions, for order: ImageOrder, known: StoredResult?, deadline: Duration
  ) async throws -> StoredResult {
    let start = ContinuousClock.now
    metrics.count(.fetches)
    let head = try await head(options, order)
    metrics.observe(.downloading, ContinuousClock.now - start)
    if var known, known.source.version == head.version, order.options.hashsum == nil {
      known.confirm(head, order.rules.settings)
      metrics.count(.confirmations)
      return known
    }
    metrics.count(.misses)
    guard let description = try await describe(head.data, isWhole: head.isWhole, options, order) else {
      throw Failure(.sourceIncomplete, detail: "the header of the source has no end")
    }
    let info = description.info
    let crop = try crop(options, info, head.byteCount, order)
    var facts = InfoFacts(
      info: info, parts: description.parts, byteCount: head.byteCount,
      crop: options.crop.map { _ in crop ?? RelativeArea() })
    facts.hashsums = Self.hashsums(options.hashsums, of: head.data)
    var timings = ServerTiming()
    if options.needsPixels, !(options.onlyChecksAlpha && !info.hasAlpha) {
      (facts.pixels, timings) = try await pixels(options, head, info, crop, order, deadline)
    } else if options.alpha, options.checksAlpha {
      facts.pixels = PixelFacts(hasTransparency: false)
    }
    let data = Data(facts.object(options).text.utf8)
    return stored(data, head, info, order, timings)
  }

  // MARK: - Bytes

  /// Reads as much of the source as the options need.
  private func head(_ options: InfoOptions, _ order: ImageOrder) async throws -> SourceHead {
    if !options.needsAllBytes {
      let head = try await fetcher.head(for: order) { data, isWhole in
        try await describe(data, isWhole: isWhole, options, order) != nil
      }
      if let head { return head }
    }
    let source = try await fetcher.bytes(for: order, purges: store)
    try source.verify(options.hashsum)
    return SourceHead(source)
  }

  /// Returns the header, and the parts that the options need; `nil` if more bytes are needed, and may come. Another process may
  /// read it, which a thread of the pipeline waits for.
  private func describe(
    _ data: Data, isWhole: Bool, _ options: InfoOptions, _ order: ImageOrder
  ) async throws -> (info: ImageInfo, parts: ImageParts?)? {
    try await pipeline.compute(priority: .high) {
      try description(of: data, isWhole: isWhole, options, order)
    }
  }

  private func description(
    of data: Data, isWhole: Bool, _ options: InfoOptions, _ order: ImageOrder
  ) throws -> (info: ImageInfo, parts: ImageParts?)? {
    let coders = pipeline.configuration.coders
    var limits = pipeline.configuration.decodeLimits
    // The planner compares the source with the limits of the server, or of the URL.
    limits.maxPixels = max(limits.maxPixels, order.rules.planner.policy.limits.sourcePixels)
    let info: ImageInfo
    if isWhole {
      let whole = try coders.probe(data, limits: limits)
      guard options.page < max(1, whole.pageCount, whole.frameCount) else {
        throw Failure(.sourceTooLarge, detail: "the source has no page \(options.page)")
      }
      info =
        whole.pageCount > 1 && options.page > 0
        ? try coders.probe(data, limits: limits, page: options.page) : whole
    } else {
      guard options.page == 0, let header = try coders.header(of: data, limits: limits) else { return nil }
      if options.pagesNumber, !header.hasAllFrames { return nil }
      info = header.info
    }
    // The orientation of a WebP is behind its pixels.
    let needsParts =
      options.exif || options.iptc || options.xmp || options.colorspace || options.bands
      || options.dimensions && info.format == .webp
    guard needsParts else { return (info, nil) }
    limits.maxChunkBytes = min(limits.maxChunkBytes, Self.blockLimit)
    let page = info.pageCount > 1 ? options.page : 0
    guard let parts = try ImageParts(of: data, isWhole: isWhole, page: page, limits: limits) else {
      return nil
    }
    if !isWhole, info.format == .webp, parts.metadata.exif != nil { return nil }
    return (info, parts)
  }

  private static func hashsums(
    _ algorithms: [ProcessingOptions.Hashsum.Algorithm], of data: Data
  ) -> [(ProcessingOptions.Hashsum.Algorithm, String)] {
    algorithms.map { algorithm in
      let hex =
        switch algorithm {
        case .md5: HexText.text(Insecure.MD5.hash(data: data))
        case .sha1: HexText.text(Insecure.SHA1.hash(data: data))
        case .sha256: HexText.text(SHA256.hash(data: data))
        case .sha512: HexText.text(SHA512.hash(data: data))
        case .none: ""
        }
      return (algorithm, hex)
    }
  }

  // MARK: - Pixels

  /// Checks the limits of the source, and returns the crop of the options; for one whose place depends on pixels, its size.
  private func crop(
    _ options: InfoOptions, _ info: ImageInfo, _ byteCount: Int?, _ order: ImageOrder
  ) throws -> RelativeArea? {
    var planner = order.rules.planner
    // Nothing is rendered: only the limits of the source count.
    planner.policy.limits.resultPixels = .max
    planner.policy.limits.longestSide = .max
    planner.policy.limits.resultSide = 0
    planner.policy.limits.animationFrames = 1
    planner.policy.skippedFormats = []
    planner.policy.autoRotates = true
    planner.policy.usesClientHints = false
    var processing = order.options
    processing.format = .png
    if let crop = options.crop {
      processing.stages[0].crop = ProcessingStage.Crop(width: crop.width, height: crop.height)
      processing.stages[0].gravity = crop.gravity
    }
    let request = PlanRequest(processing, of: info, byteCount: byteCount)
    guard case .render(let plan) = try planner.plan(request) else { return nil }
    let size = info.orientation.apply(to: info.size)
    for operation in plan.operations {
      switch operation {
      case .crop(let region): return RelativeArea(region, in: size)
      case .smartCrop(let box):
        return RelativeArea(PixelRegion(x: 0, y: 0, width: box.width, height: box.height), in: size)
      default: continue
      }
    }
    return nil
  }

  /// Decodes a small picture, or the whole one if single pixels count, and reads its facts on the workers of the pipeline.
  private func pixels(
    _ options: InfoOptions, _ head: SourceHead, _ info: ImageInfo, _ crop: RelativeArea?,
    _ order: ImageOrder, _ deadline: Duration
  ) async throws -> (PixelFacts, ServerTiming) {
    var decode = DecodeOptions()
    decode.limits = pipeline.configuration.decodeLimits
    // The planner has compared the source with the limits of the server.
    decode.limits.maxPixels = max(decode.limits.maxPixels, info.size.pixelCount)
    decode.animationTransforms = .firstFrame
    if info.pageCount > 1 { decode.page = options.page }
    let countsPixels = options.alpha && options.checksAlpha && info.hasAlpha
    if !countsPixels {
      decode.thumbnail = Thumbnail(
        box: PixelSize(width: PixelFacts.side, height: PixelFacts.side), mode: .fit, filter: .box)
    }
    let frame = info.pageCount > 1 || info.frameCount == 1 ? nil : options.page
    let decoding = decode.predictedDuration(for: info)
    let milliseconds =
      Double(decoding.components.seconds) * 1e3 + Double(decoding.components.attoseconds) / 1e15
    // Each frame is drawn over those before it.
    let frames = Double((frame ?? 0) + 1)
    let job = AdmissionJob(
      cost: AdmissionCost(
        milliseconds: milliseconds * frames + Self.factMilliseconds * Double(options.pixelFactCount),
        byteCount: decode.workingByteCount(for: info)),
      source: order.source.share, deadline: deadline, heldByteCount: head.data.count,
      formats: CostPair(info.format.rawValue, to: "info"))
    let smartSize = options.crop?.needsPixels == true ? crop : nil
    return try await admission.run(job) { [decode] ticket in
      metrics.observe(.queue, ticket.wait)
      let start = ContinuousClock.now
      let image = try await image(of: head, decode, frame: frame, order)
      let decoded = ContinuousClock.now
      let facts = try await pipeline.compute {
        try PixelFacts(of: image.bitmap, options, cropSize: smartSize)
      }
      let end = ContinuousClock.now
      ticket.finish(actual: end - start)
      metrics.observe(.processing, end - start)
      return (
        facts,
        ServerTiming([.queue: ticket.wait, .decode: decoded - start, .transform: end - decoded])
      )
    }
  }

  private func image(
    of head: SourceHead, _ decode: DecodeOptions, frame: Int?, _ order: ImageOrder
  ) async throws -> Image {
    if let frame, frame > 0 {
      let coders = pipeline.configuration.coders
      return try await pipeline.compute {
        try coders.decode(head.data, pages: frame..<frame + 1, options: decode)
      }
    }
    let id = order.identity.text + " " + head.version
    var request = ImageRequest(
      source: .data(head.data, id: id), decoding: decode, cachePolicy: .loaderOnly)
    request.limits = decode.limits
    return try await pipeline.response(for: request).image
  }

  // MARK: - Result

  private func stored(
    _ data: Data, _ head: SourceHead, _ info: ImageInfo, _ order: ImageOrder, _ timings: ServerTiming
  ) -> StoredResult {
    let size = info.orientation.apply(to: info.size)
    return StoredResult(
      data: data, contentType: "application/json", fileExtension: ".json",
      entityTag: Renderer.tag(of: data), width: size.width, height: size.height,
      source: StoredResult.SourceFacts(
        version: head.version, byteCount: head.byteCount ?? 0, width: size.width, height: size.height,
        cacheControl: head.fields[.cacheControl], expires: head.fields[.expires],
        entityTag: head.fields[.eTag], lastModified: head.fields[.lastModified], modified: head.modified),
      freshUntil: head.freshUntil, isStorable: head.isStorable, varyingHeaders: [], notices: [],
      tags: order.options.cacheTags,
      makingTime: (timings.durations[.decode] ?? .zero) + (timings.durations[.transform] ?? .zero),
      timings: timings)
  }
}

extension PixelFacts {
  /// Facts that need no pixels after all.
  fileprivate init(hasTransparency: Bool) { self.hasTransparency = hasTransparency }
}

extension InfoOptions {
  /// The number of facts of pixels.
  fileprivate var pixelFactCount: Int {
    let facts = [
      alpha && checksAlpha, crop?.needsPixels == true, paletteColors > 0, average, dominantColors,
      blurHash != nil, thumbHash, perceptualHash,
    ]
    return facts.count { $0 }
  }

  /// Whether the check of the alpha channel is the only fact that needs pixels.
  fileprivate var onlyChecksAlpha: Bool { alpha && checksAlpha && pixelFactCount == 1 }

  /// The options of a request that rendering and replies share.
  var processing: ProcessingOptions {
    var options = ProcessingOptions()
    options.page = page
    options.hashsum = hashsum
    options.cachebuster = cachebuster
    options.expires = expires
    options.bypassesCache = bypassesCache
    options.cacheTags = cacheTags
    options.maxSourceResolution = maxSourceResolution
    options.maxSourceFileSize = maxSourceFileSize
    return options
  }
}
