public import CalotypeImaging
import CalotypeLoading
import CalotypeSupport
public import FoundationEssentials

/// Processing of images at hand, on the threads of the pipeline and within its limits.
extension ImagePipeline {
  /// Decodes bytes at hand, such as an upload, upright, and downsampled to `thumbnail` during decoding.
  /// Nothing is cached.
  ///
  /// - Throws: `ImagingError`; ``PipelineError`` when the pipeline is overloaded or shut down, or
  ///   ``ImagePipeline/Configuration/shouldLoad`` denies the data;
  ///   `CancellationError` when the task is cancelled.
  public nonisolated func decode(
    _ data: Data, thumbnail: Thumbnail? = nil, transforms: TransformChain = [],
    priority: ImageRequest.Priority = .normal
  ) async throws -> Image {
    guard !data.isEmpty else { throw ImagingError.emptyInput }
    var request = ImageRequest(
      source: .data(data, id: UUID().uuidString), thumbnail: thumbnail, transforms: .chain(transforms),
      cachePolicy: .loaderOnly, priority: priority)
    // The loader of the pipeline may refuse data.
    if !context.servesBytesAtHand { request.loader = ImageRequest.Identified("bytes", BytesLoader()) }
    return try await image(for: request)
  }

  /// Transforms an image.
  ///
  /// - Throws: `ImagingError`; ``PipelineError`` when the pipeline is overloaded or shut down; `CancellationError` when
  ///   the task is cancelled before its turn.
  public nonisolated func transform(
    _ image: Image, by transforms: TransformChain, priority: ImageRequest.Priority = .normal
  ) async throws -> Image {
    try await compute(priority: priority) { try image.transformed(by: transforms) }
  }

  /// Computes the colours and placeholders of an image.
  ///
  /// - Throws: As ``transform(_:by:priority:)``.
  public nonisolated func summary(
    of image: Image, priority: ImageRequest.Priority = .normal
  ) async throws -> ImageSummary {
    try await compute(priority: priority) { try image.bitmap.facts() }
  }

  /// Returns the image in encoded form.
  ///
  /// - Throws: As ``transform(_:by:priority:)``.
  public nonisolated func encode(
    _ image: Image, as options: EncodeOptions, priority: ImageRequest.Priority = .normal
  ) async throws -> Data {
    let claim = WorkQueue.Claim(cost: options.predictedDuration(for: image.bitmap.size).nanosecondCount)
    return try await context.perform(priority) { [context] priority in
      try await context.encodes.run(priority: priority, claim) {
        try await context.workers.run { try context.configuration.coders.encode(image, as: options) }
      }
    }
  }

  /// Performs work on a thread of the pipeline, in turn with its transforms. Nothing is cached.
  ///
  /// The work may take its time without harm to the rest of the program; it checks `Task.isCancelled` itself, as coders and
  /// transforms do. ``ImagePipeline/Configuration/coders`` of ``configuration`` decode where the pipeline does:
  ///
  /// ```swift
  /// let coders = pipeline.configuration.coders
  /// let stack = try await pipeline.compute { try coders.decode(document, pages: 0..<3) }
  /// ```
  ///
  /// - Throws: The error of the work; ``PipelineError`` when the pipeline is overloaded or shut down; `CancellationError`
  ///   when the task is cancelled.
  public nonisolated func compute<Result: Sendable>(
    priority: ImageRequest.Priority = .normal, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await context.perform(priority) { [context] priority in
      try await context.transforms.run(priority: priority) { try await context.workers.run(body) }
    }
  }

  /// Downloads the encoded bytes of an image to a file, which is replaced atomically.
  ///
  /// - Parameters:
  ///   - request: The image.
  ///   - file: A `file:` URL.
  ///   - progress: Called with the number of arrived bytes.
  /// - Returns: The bytes; large bodies are mapped from their own storage.
  /// - Throws: As ``data(for:progress:)``; the error of the file system.
  @discardableResult public nonisolated func download(
    _ request: ImageRequest, to file: URL, progress: ((LoadProgress) -> Void)? = nil
  ) async throws -> DataResponse {
    let response = try await data(for: request, progress: progress)
    try await context.storeWorkers.run { try response.data.write(to: file, options: .atomic) }
    return response
  }
}
