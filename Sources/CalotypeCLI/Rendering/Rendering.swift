import Calotype
import CalotypeSupport
import FoundationEssentials
import CalotypeTerminal

/// Renders a source into a file, for `get` and `convert`.
struct Rendering: Sendable {
  /// The destination of a result.
  enum Destination: Sendable {
    case file(String)
    /// A folder; the extension follows from the format.
    case folder(String, stem: String)

    /// Whether the user named the file.
    var isNamed: Bool { if case .file = self { true } else { false } }
  }

  /// The result, as text and as JSON.
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
    /// The number of frames that the output omits without an explicit option; absent if there are none.
    let droppedFrames: Int?
    /// Whether the source is damaged; absent if its bytes were copied without decoding.
    let isDamaged: Bool?
    let from: String
    let milliseconds: Double

    /// The warning about dropped frames.
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
  /// Whether bytes are decoded before they are copied unchanged, so that no undecodable file is copied.
  let decodesCopies: Bool
  private let files = WorkerExecutor(name: "calotype-files", threads: 2)

  init(pixels: PixelOptions, pipeline: ImagePipeline, coders: CoderOptions, decodesCopies: Bool = false) {
    self.pixels = pixels
    self.decodesCopies = decodesCopies
    self.coders = coders
    self.pipeline = pipeline
  }

  func request(for source: Source) throws(CommandError) -> ImageRequest {
    coders.applied(to: ImageRequest(url: try source.url, decoding: pixels.decoding))
  }

  /// Returns the request for bytes at hand, decoded as `request` says.
  private func request(
    for served: DataResponse, of source: Source, like request: ImageRequest
  ) -> ImageRequest {
    coders.applied(
      to: ImageRequest(
        source: .data(served.data, id: source.text), decoding: request.decoding, cachePolicy: .loaderOnly))
  }

  func render(
    _ source: Source, to destination: Destination, request: ImageRequest,
    watch: ((LoadEvent) -> Void)? = nil
  ) async throws -> Result {
    let start = ContinuousClock.now
    guard !pixels.changesPixels else {
      return try await make(source, to: destination, request: request, watch: watch, since: start)
    }
    let served = try await served(for: request, watch: watch)
    let atHand = self.request(for: served, of: source, like: request)
    let info =
      if pixels.strict || decodesCopies { try await decodedInfo(of: atHand) } else {
        try await files.run { [registry = coders.registry, hint = request.formatHint] in
          try registry.probe(served.data, formatHint: hint)
        }
      }
    try check(info, for: request)
    guard let wanted = formatOfName(destination), wanted.imageFormat != info.format else {
      return try await copy(served, info, from: source, to: destination, since: start)
    }
    // The name requires another format than the served one.
    return try await make(source, to: destination, request: atHand, since: start)
  }

  /// Decodes all frames of bytes at hand, and returns their header; it is marked as damaged if any frame is.
  ///
  /// - Throws: The error of the first frame that the request does not accept.
  private func decodedInfo(of request: ImageRequest) async throws -> ImageInfo {
    var request = request
    request.frames = .all
    let response = try await pipeline.response(for: request)
    guard var info = response.image.info else { throw ImagingError.unrecognizedFormat(hint: nil) }
    guard let animation = response.animation else { return info }
    // All of them, because any may be refused.
    let frames = try await files.run {
      try (0..<animation.frameCount).map { try animation.frame(at: $0).isDamaged }
    }
    if frames.contains(true) { info.isDamaged = true }
    return info
  }

  /// Decodes, encodes and writes.
  private func make(
    _ source: Source, to destination: Destination, request: ImageRequest,
    watch: ((LoadEvent) -> Void)? = nil, since start: ContinuousClock.Instant
  ) async throws -> Result {
    let wanted = pixels.format ?? formatOfName(destination)
    let response = try await response(for: request, watch: watch)
    var picture = Picture(response)
    if pixels.animates(response.image.info, as: wanted) {
      picture = try await animation(of: request, beside: response)
    }
    return try await write(picture, of: request, wanted, from: source, to: destination, since: start)
  }

  /// Returns all frames of the image whose first frame is `response`: results in the disk cache are single
  /// images, originals are not.
  private func animation(of request: ImageRequest, beside response: ImageResponse) async throws -> Picture {
    var request = request
    request.frames = .all
    // The original was loaded just now.
    if request.cachePolicy == .reload { request.cachePolicy = .ignoreHTTPFreshness }
    var picture: Picture
    do {
      picture = Picture(try await pipeline.response(for: request))
    } catch let error as ImagingError where error.isAboutData {
      picture = try await reloaded(request, after: error, isNew: response.source == .loader)
    }
    (picture.source, picture.byteCount) = (response.source, response.byteCount)
    return picture
  }

  /// Loads the image again after cached bytes turned out to be broken: an original is stored once its first
  /// frame is decoded. Broken bytes are removed in any case.
  ///
  /// - Parameter isNew: Whether the bytes were loaded just now: loading them again cannot help.
  private func reloaded(
    _ request: ImageRequest, after error: ImagingError, isNew: Bool
  ) async throws -> Picture {
    guard request.source.url?.isFileURL == false else { throw error }
    _ = try? await pipeline.cache.removeAll(of: request)
    guard !isNew, request.cachePolicy != .cacheOnly else { throw error }
    var request = request
    request.cachePolicy = .reload
    return Picture(try await pipeline.response(for: request))
  }

  /// Writes an image, decoding its remaining frames.
  private func write(
    _ picture: Picture, of request: ImageRequest, _ wanted: OutputFormat?, from source: Source,
    to destination: Destination, since start: ContinuousClock.Instant
  ) async throws -> Result {
    do {
      return try await write(picture, wanted, from: source, to: destination, since: start)
    } catch let error as ImagingError where error.isAboutData {
      var request = request
      if case .animation = picture.content { request.frames = .all }
      let again = try await reloaded(request, after: error, isNew: picture.source == .loader)
      return try await write(again, wanted, from: source, to: destination, since: start)
    }
  }

  private func response(
    for request: ImageRequest, watch: ((LoadEvent) -> Void)?
  ) async throws -> ImageResponse {
    // Hidden events need not wake this task.
    guard let watch else { return try await pipeline.response(for: request) }
    var response: ImageResponse?
    for try await event in pipeline.load(request).events {
      watch(LoadEvent(event))
      if case .response(let value) = event { response = value }
    }
    guard let response else { throw CancellationError() }
    return response
  }

  /// Returns the bytes as served.
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

  /// - Throws: ``PipelineError/unexpectedKind(_:expected:)``, as the pipeline does for decoded images.
  private func check(_ info: ImageInfo?, for request: ImageRequest) throws(PipelineError) {
    guard let expected = request.expectedKind, let info else { return }
    let kind: ImageResponse.Kind = info.frameCount > 1 ? .animated : .still
    if kind != expected { throw .unexpectedKind(kind, expected: expected) }
  }

  private func write(
    _ picture: Picture, _ wanted: OutputFormat?, from source: Source, to destination: Destination,
    since start: ContinuousClock.Instant
  ) async throws -> Result {
    let pixels = pixels
    let encoded = try await files.run { () throws(ImagingError) in
      try EncodedPicture(picture.content, wanted, pixels)
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

  /// Returns the number of frames that are lost without an explicit option.
  private func droppedFrames(of picture: Picture) -> Int? {
    guard case .still = picture.content, !pixels.wantsFirstFrame, let count = picture.info?.frameCount,
      count > 1
    else { return nil }
    return count - 1
  }

  /// Copies the bytes as served, once they are known to be an image.
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

extension ImagingError {
  /// Whether another download of the source may deliver sound bytes.
  fileprivate var isAboutData: Bool {
    switch self {
    case .corrupt, .truncated: true
    default: false
    }
  }
}
