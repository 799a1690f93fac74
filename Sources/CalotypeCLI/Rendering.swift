import Calotype
import CalotypeSupport
import FoundationEssentials

/// Makes a file of a source: what `get` and `convert` have in common.
struct Rendering: Sendable {
  /// Where the result goes.
  enum Destination: Sendable {
    case file(String)
    /// A folder; the extension follows from the format.
    case folder(String, stem: String)

    /// Whether the user named the file.
    var isNamed: Bool { if case .file = self { true } else { false } }
  }

  /// What was made, for people and machines.
  struct Result: Encodable, Sendable {
    let source: String
    let output: String
    let format: String
    let width: Int
    let height: Int
    let bytes: Int
    let sourceFormat: String?
    let sourceWidth: Int?
    let sourceHeight: Int?
    let sourceBytes: Int?
    /// Frames of an animation that the output leaves out although nobody asked for that; absent if there are none.
    let droppedFrames: Int?
    /// Whether the source is damaged; absent where its bytes were copied and nobody has looked.
    let isDamaged: Bool?
    let from: String
    let milliseconds: Double

    /// What is to be said of the frames that were dropped.
    var warning: String? {
      droppedFrames.map { dropped in
        "only the first of \(dropped + 1) frames was written, because \(format) holds one; write webp or gif to keep them,"
          + " or add --first-frame"
      }
    }
  }

  let pixels: PixelOptions
  let pipeline: ImagePipeline
  let coders: CoderOptions
  /// True to decode bytes before they are copied unchanged: nothing undecodable is copied.
  let decodesCopies: Bool
  private let files = WorkerExecutor(name: "calotype-files", threads: 2)

  init(pixels: PixelOptions, pipeline: ImagePipeline, coders: CoderOptions, decodesCopies: Bool = false) {
    self.pixels = pixels
    self.decodesCopies = decodesCopies
    self.coders = coders
    self.pipeline = pipeline
  }

  func request(for source: Source) throws(CommandError) -> ImageRequest {
    var request = ImageRequest(url: try source.url, thumbnail: pixels.thumbnailRequest)
    request.transforms = .chain(pixels.transforms)
    request.animationTransforms = pixels.transformFrames.value
    request.damage = pixels.damage
    if let maxPixels = pixels.maxPixels { request.maxPixels = maxPixels }
    return coders.applied(to: request)
  }

  func render(
    _ source: Source, to destination: Destination, request: ImageRequest,
    watch: ((LoadEvent) -> Void)? = nil
  ) async throws -> Result {
    let start = ContinuousClock.now
    var request = request
    let hint = request.formatHint
    if !pixels.changesPixels {
      let served = try await served(for: request, watch: watch)
      let looks = pixels.strict || decodesCopies
      let (registry, damage) = (coders.registry, pixels.damage)
      let info = try await files.run { () throws(ImagingError) in
        try looks
          ? served.data.decodedInfo(registry, formatHint: hint, damage)
          : registry.probe(served.data, formatHint: hint)
      }
      try check(info, for: request)
      guard let wanted = formatOfName(destination), wanted.imageFormat != info.format else {
        return try await copy(served, info, from: source, to: destination, since: start)
      }
      // The name asks for another format than was served.
      request = ImageRequest(source: .data(served.data, id: source.text), cachePolicy: .loaderOnly)
      request.formatHint = hint
      request.damage = pixels.damage
      request = coders.applied(to: request)
      return try await make(source, to: destination, request: request, since: start)
    }
    return try await make(source, to: destination, request: request, watch: watch, since: start)
  }

  /// Makes it of pixels.
  private func make(
    _ source: Source, to destination: Destination, request: ImageRequest,
    watch: ((LoadEvent) -> Void)? = nil, since start: ContinuousClock.Instant
  ) async throws -> Result {
    let wanted = pixels.format ?? formatOfName(destination)
    guard pixels.isCacheable else {
      let picture = try await picture(for: request, wanted, watch: watch)
      try check(picture.info, for: request)
      return try await write(picture, of: request, wanted, from: source, to: destination, since: start)
    }
    let response = try await response(for: request, watch: watch)
    var content = Picture.Content.still(response.image)
    if pixels.animates(response.image.info, as: wanted) {
      // The pipeline makes first frames. The original is in its cache, or as near as a file.
      var request = request
      if request.cachePolicy == .reload { request.cachePolicy = .useAge }
      content = try await picture(for: request, wanted, isNew: response.source == .loader).content
    }
    let picture = Picture(
      content: content, info: response.image.info, source: response.source, byteCount: response.byteCount)
    return try await write(picture, of: request, wanted, from: source, to: destination, since: start)
  }

  /// The picture of bytes as they are served, with all its frames.
  ///
  /// - Parameter isNew: True for bytes that this call has loaded, even if a cache delivered them.
  private func picture(
    for request: ImageRequest, _ wanted: OutputFormat?, isNew: Bool = false,
    watch: ((LoadEvent) -> Void)? = nil
  ) async throws -> Picture {
    let served = try await served(for: request, watch: watch)
    do {
      return try await picture(of: served, for: request, wanted)
    } catch let error as ImagingError where error.isAboutData {
      return try await reloaded(request, wanted, after: error, isNew: isNew || served.source == .loader)
    }
  }

  private func picture(
    of served: DataResponse, for request: ImageRequest, _ wanted: OutputFormat?
  ) async throws -> Picture {
    let (hint, registry, pixels) = (request.formatHint, coders.registry, pixels)
    return try await files.run { try Picture(served, registry, pixels, wanted, hint) }
  }

  /// The picture once more, when bytes of a cache turned out to be broken: of an original, only the first frame was looked
  /// at when it was stored. What is broken is removed in any case.
  private func reloaded(
    _ request: ImageRequest, _ wanted: OutputFormat?, after error: ImagingError, isNew: Bool
  ) async throws -> Picture {
    guard request.source.url?.isFileURL == false else { throw error }
    _ = try? await pipeline.cache.removeAll(of: request)
    guard !isNew, request.cachePolicy != .cacheOnly else { throw error }
    var request = request
    request.cachePolicy = .reload
    return try await picture(of: try await pipeline.data(for: request), for: request, wanted)
  }

  /// Writes a picture, whose later frames are decoded now.
  private func write(
    _ picture: Picture, of request: ImageRequest, _ wanted: OutputFormat?, from source: Source,
    to destination: Destination, since start: ContinuousClock.Instant
  ) async throws -> Result {
    do {
      return try await write(picture, wanted, from: source, to: destination, since: start)
    } catch let error as ImagingError where error.isAboutData {
      let again = try await reloaded(request, wanted, after: error, isNew: picture.source == .loader)
      return try await write(again, wanted, from: source, to: destination, since: start)
    }
  }

  private func response(
    for request: ImageRequest, watch: ((LoadEvent) -> Void)?
  ) async throws -> ImageResponse {
    // Nobody is woken for what nobody sees.
    guard let watch else { return try await pipeline.response(for: request) }
    var response: ImageResponse?
    for try await event in pipeline.events(for: request) {
      watch(LoadEvent(event))
      switch event {
      case .staleResponse(let value), .response(let value), .notModified(let value): response = value
      case .queued, .started, .progress, .preview, .refreshFailed: continue
      }
    }
    guard let response else { throw CancellationError() }
    return response
  }

  /// The bytes as they are served.
  private func served(
    for request: ImageRequest, watch: ((LoadEvent) -> Void)?
  ) async throws -> DataResponse {
    guard let watch else { return try await pipeline.data(for: request) }
    let start = ContinuousClock.now
    watch(.queued)
    var hasStarted = false
    let response = try await pipeline.data(for: request) { progress in
      if !hasStarted { watch(.started) }
      hasStarted = true
      watch(.progress(progress))
    }
    watch(.response(LoadEvent.Response(response, duration: ContinuousClock.now - start)))
    return response
  }

  /// - Throws: ``PipelineError/unexpectedKind(_:expected:)``, as the pipeline does for what it decodes.
  private func check(_ info: ImageInfo?, for request: ImageRequest) throws(PipelineError) {
    guard let expected = request.expectedKind, let info else { return }
    let kind: ImageKind = info.frameCount > 1 ? .animated : .still
    if kind != expected { throw .unexpectedKind(kind, expected: expected) }
  }

  /// What is to be written.
  private struct Picture: Sendable {
    enum Content: Sendable {
      case still(Image)
      case animation(AnimatedImage)
    }

    let content: Content
    let info: ImageInfo?
    let source: ImageResponse.Source
    let byteCount: Int?

    init(content: Content, info: ImageInfo?, source: ImageResponse.Source, byteCount: Int?) {
      self.content = content
      self.info = info
      self.source = source
      self.byteCount = byteCount
    }

    /// Decodes what was served, all frames if the output has them.
    init(
      _ served: DataResponse, _ coders: CoderRegistry, _ pixels: PixelOptions, _ wanted: OutputFormat?,
      _ hint: ImageFormat?
    ) throws(ImagingError) {
      var options = pixels.decodeOptions
      options.formatHint = hint
      let info = try coders.probe(served.data, formatHint: hint)
      self.info = info
      // An animation whose frames are too much is still a picture.
      let animation =
        pixels.animates(info, as: wanted)
        ? try AnimatedImage(data: served.data, coders: coders, options: options) : nil
      if let animation, animation.frameCount > 1 {
        content = .animation(animation)
      } else {
        content = .still(try coders.decode(served.data, options: options))
      }
      source = served.source
      byteCount = served.data.count
    }
  }

  private func write(
    _ picture: Picture, _ wanted: OutputFormat?, from source: Source, to destination: Destination,
    since start: ContinuousClock.Instant
  ) async throws -> Result {
    let pixels = pixels
    let encoded = try await files.run { () throws(ImagingError) in
      try Encoded(picture.content, wanted, pixels)
    }
    let path = try await write(encoded.data, of: source, to: destination, encoded.fileExtension)
    return Result(
      source: source.shown, output: path, format: encoded.format, width: encoded.size.width,
      height: encoded.size.height, bytes: encoded.data.count, sourceFormat: picture.info?.format.rawValue,
      sourceWidth: picture.info?.size.width, sourceHeight: picture.info?.size.height,
      sourceBytes: picture.source == .disk ? nil : picture.byteCount,
      droppedFrames: droppedFrames(of: picture),
      isDamaged: picture.info.map { $0.isDamaged || encoded.isDamaged },
      from: picture.source.rawValue,
      milliseconds: Formatting.milliseconds(ContinuousClock.now - start))
  }

  /// Frames that are lost without having been asked for.
  private func droppedFrames(of picture: Picture) -> Int? {
    guard case .still = picture.content, !pixels.wantsFirstFrame, let count = picture.info?.frameCount,
      count > 1
    else { return nil }
    return count - 1
  }

  /// The bytes of a picture in the format asked for.
  private struct Encoded: Sendable {
    let data: Data
    let size: PixelSize
    let format: String
    let fileExtension: String
    /// Whether the pixels of any frame are those that could be recovered.
    let isDamaged: Bool

    init(_ content: Picture.Content, _ wanted: OutputFormat?, _ pixels: PixelOptions) throws(ImagingError) {
      switch content {
      case .animation(let animation):
        let options = pixels.encodeOptions(wanted, source: animation.info.format, isAnimated: true)
        var damagedFrames = 0
        let frames = animation.source { frame in damagedFrames += frame.isDamaged ? 1 : 0 }
        data = try CoderRegistry.standard.encode(frames, as: options)
        isDamaged = damagedFrames > 0
        size = try CoderRegistry.standard.probe(data).size
        (format, fileExtension) = (options.format.rawValue, options.format.fileExtension)
      case .still(let image):
        (size, isDamaged) = (image.bitmap.size, image.isDamaged)
        if wanted == .rgba {
          data = image.bitmap.withUnsafeBytes { Data($0) }
          (format, fileExtension) = ("rgba", "rgba")
          return
        }
        let options = pixels.encodeOptions(wanted, source: image.info?.format, isAnimated: false)
        // As stored means as stored: the encoder would turn a picture that says it has still to be turned.
        let stored = Image(
          bitmap: image.bitmap, info: image.info, profile: pixels.keepProfile ? image.profile : nil)
        data = try CoderRegistry.standard.encode(pixels.asStored ? stored : image, as: options)
        (format, fileExtension) = (options.format.rawValue, options.format.fileExtension)
      }
    }
  }

  /// The bytes as they are served, once it is known that they are an image.
  private func copy(
    _ response: DataResponse, _ info: ImageInfo, from source: Source, to destination: Destination,
    since start: ContinuousClock.Instant
  ) async throws -> Result {
    let path = try await write(response.data, of: source, to: destination, info.format.fileExtension)
    return Result(
      source: source.shown, output: path, format: info.format.rawValue, width: info.size.width,
      height: info.size.height, bytes: response.data.count, sourceFormat: info.format.rawValue,
      sourceWidth: info.size.width, sourceHeight: info.size.height, sourceBytes: response.data.count,
      droppedFrames: nil, isDamaged: info.isDamaged || pixels.strict || decodesCopies ? info.isDamaged : nil,
      from: response.source.rawValue,
      milliseconds: Formatting.milliseconds(ContinuousClock.now - start))
  }

  private func write(
    _ data: Data, of source: Source, to destination: Destination, _ fileExtension: String
  ) async throws -> String {
    let path =
      switch destination {
      case .file(let path): path
      case .folder(let folder, let stem): (folder == "." ? "" : folder + "/") + stem + "." + fileExtension
      }
    let original = source.isFile ? try source.url.path : nil
    try await files.run {
      if let original, OutputFile.isSame(original, path) {
        throw CommandError.unwritableOutput(
          path: path, reason: "it is the source itself; choose another name or folder with --output")
      }
      try OutputFile.write(data, to: path, isNamed: destination.isNamed)
    }
    return path
  }

  private func formatOfName(_ destination: Destination) -> OutputFormat? {
    if case .file(let path) = destination { OutputFormat(fileName: path) } else { nil }
  }
}

extension Data {
  /// Decodes all frames and returns the facts of the image, which is damaged if one frame is.
  ///
  /// - Throws: what is wrong with one of them, unless the policy accepts it.
  fileprivate func decodedInfo(
    _ coders: CoderRegistry, formatHint: ImageFormat?, _ damage: DamagePolicy
  ) throws(ImagingError) -> ImageInfo {
    let image = try AnimatedImage(
      data: self, coders: coders, options: DecodeOptions(damage: damage, formatHint: formatHint))
    var info = image.info
    for index in 0..<image.frameCount where try image.frame(at: index).isDamaged { info.isDamaged = true }
    return info
  }
}

extension ImagingError {
  /// Returns true if another download of the source may deliver sound bytes.
  fileprivate var isAboutData: Bool {
    switch self {
    case .corrupt, .truncated: true
    default: false
    }
  }
}
