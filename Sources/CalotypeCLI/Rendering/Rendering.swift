import Calotype
import CalotypeSupport
import FoundationEssentials
import CalotypeTerminal

/// Renders a source into files, for `get` and `convert`.
struct Rendering: Sendable {
  let pixels: PixelOptions
  let pipeline: ImagePipeline
  let coders: CoderOptions
  let accept: AcceptOptions
  /// Whether a file that has the same contents is left as it is.
  let keepsUnchanged: Bool
  /// Whether bytes are decoded before they are copied unchanged, so that no undecodable file is copied.
  let decodesCopies: Bool
  /// The files that are sources of the call, which no output replaces.
  let originals: Set<OutputFile.Identity>
  let files = WorkerExecutor(name: "calotype-files", threads: 2)

  init(
    pixels: PixelOptions, pipeline: ImagePipeline, coders: CoderOptions, sources: [Source] = [],
    accept: AcceptOptions = AcceptOptions(), keepsUnchanged: Bool = false, decodesCopies: Bool = false
  ) {
    self.pixels = pixels
    self.accept = accept
    self.keepsUnchanged = keepsUnchanged
    self.decodesCopies = decodesCopies
    self.coders = coders
    self.pipeline = pipeline
    originals = Set(
      sources.lazy.filter(\.isFile).compactMap {
        try? OutputFile.Identity($0.url.path(percentEncoded: false))
      })
  }

  func request(for source: Source) throws(CommandError) -> ImageRequest {
    coders.applied(to: ImageRequest(url: try source.url, decoding: pixels.decoding))
  }

  /// Returns the request for bytes at hand, decoded as `request` says.
  func request(
    for served: DataResponse, of source: Source, like request: ImageRequest
  ) -> ImageRequest {
    coders.applied(
      to: ImageRequest(
        source: .data(served.data, id: source.text), decoding: request.decoding, cachePolicy: .loaderOnly))
  }

  /// Loads and renders a source once, and writes the image to each destination.
  ///
  /// - Parameters:
  ///   - source: The source.
  ///   - destinations: Where to write: a single destination, or several folders.
  ///   - request: The request for the source.
  ///   - watch: Called for each event of the load.
  /// - Returns: A result, or the error of writing, for each destination.
  /// - Throws: Errors of loading, decoding and encoding.
  func render(
    _ source: Source, to destinations: [Destination], request: ImageRequest,
    watch: ((LoadEvent) -> Void)? = nil
  ) async throws -> [Swift.Result<Result, any Error>] {
    let start = ContinuousClock.now
    let product = try await product(
      of: source, as: pixels.format ?? destinations.first?.format, request: request, watch: watch)
    var results: [Swift.Result<Result, any Error>] = []
    for destination in destinations {
      results.append(
        await Swift.Result(catching: {
          let (path, isUnchanged) = try await write(product, to: destination)
          return Result(
            product, source: source, output: path, isUnchanged: isUnchanged,
            duration: ContinuousClock.now - start)
        }))
    }
    return results
  }

  /// - Parameter wanted: The format of the options or of the file name.
  private func product(
    of source: Source, as wanted: OutputFormat?, request: ImageRequest, watch: ((LoadEvent) -> Void)?
  ) async throws -> Product {
    if let negotiation = accept.negotiation(for: pixels) {
      return try await negotiated(negotiation, of: source, request: request, watch: watch)
    }
    #if JXL
    // The library reads the JPEG XL in this process.
    if !coders.isSandboxed, let product = try await transcoded(to: wanted, request: request, watch: watch) {
      return product
    }
    #endif
    guard !pixels.changesPixels else { return try await make(wanted, request: request, watch: watch) }
    let served = try await served(for: request, watch: watch)
    let atHand = self.request(for: served, of: source, like: request)
    let info =
      if pixels.strict || decodesCopies { try await decodedInfo(of: atHand) } else {
        try await probed(served, request)
      }
    try check(info, for: request)
    guard let wanted, !wanted.isFormat(of: info) else {
      return Product(copying: served, info, isDecoded: pixels.strict || decodesCopies)
    }
    // The name requires another format than the served one.
    return try await make(wanted, request: atHand)
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

  /// Decodes and encodes.
  private func make(
    _ wanted: OutputFormat?, request: ImageRequest, watch: ((LoadEvent) -> Void)? = nil
  ) async throws -> Product {
    let response = try await response(for: request, watch: watch)
    var picture = Picture(response)
    if pixels.animates(response.image.info, as: wanted) {
      picture = try await animation(of: request, beside: response)
    }
    do {
      return try await encode(picture, wanted)
    } catch let error as ImagingError where error.isAboutData {
      var request = request
      if case .animation = picture.content { request.frames = .all }
      let again = try await reloaded(request, after: error, isNew: picture.source == .loader)
      return try await encode(again, wanted)
    }
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

  /// Encodes an image, decoding its remaining frames.
  private func encode(_ picture: Picture, _ wanted: OutputFormat?) async throws -> Product {
    let pixels = pixels
    let encoded = try await files.run { () throws(ImagingError) in
      try EncodedPicture(picture.content, wanted, pixels)
    }
    return Product(
      encoded, of: picture, droppedFrames: droppedFrames(of: picture),
      droppedPages: picture.info.flatMap { pixels.droppedPages(of: $0) })
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
  func served(
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
  func check(_ info: ImageInfo?, for request: ImageRequest) throws(PipelineError) {
    guard let expected = request.expectedKind, let info else { return }
    let kind: ImageResponse.Kind = info.frameCount > 1 ? .animated : .still
    if kind != expected { throw .unexpectedKind(kind, expected: expected) }
  }

  /// Returns the number of frames that are lost without an explicit option.
  private func droppedFrames(of picture: Picture) -> Int? {
    guard case .still = picture.content, !pixels.wantsFirstFrame, let count = picture.info?.frameCount,
      count > 1
    else { return nil }
    return count - 1
  }

  /// Returns the header of bytes at hand, which are to be decodable.
  func probed(_ served: DataResponse, _ request: ImageRequest) async throws -> ImageInfo {
    let registry = request.coders?.part ?? pipeline.configuration.coders
    return try await files.run { [hint = request.formatHint] in
      try registry.decodableInfo(of: served.data, formatHint: hint)
    }
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
