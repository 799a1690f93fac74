import CalotypeCaching
public import CalotypeImaging
import CalotypeLoading
import CalotypeSupport
public import FoundationEssentials
import Synchronization

/// Loads, decodes, downsamples and caches images, and coalesces requests for the same image.
///
/// ```swift
/// let pipeline = ImagePipeline(urls: .untrusted)
/// let image = try await pipeline.image(for: url)
/// ```
///
/// The pipeline looks for an image in memory, then for a finished result on disk, then for an original on
/// disk, and then asks the loader. Callers with the same ``ImageRequest/key`` share one job; requests for
/// different sizes of one source share its transfer, and requests whose transforms begin alike share the
/// intermediate results. A job has the priority of its most urgent caller. Cancelling a task removes one
/// caller; when the last one has left, the job is cancelled and its connection closed. Each caller gets
/// exactly one result or one error.
///
/// The actor manages the life cycle: suspension, flushing, shutdown. Running jobs are found without it.
/// Decoding runs on its own threads, file access and transfers on those of the caches and loaders. An image
/// in memory is returned without any suspension.
///
/// The amount of concurrent work, of waiting work, and of memory is bounded by ``ImagePipeline/Limits`` and
/// ``ImagePipeline/Memory``. Requests beyond the limits are rejected at once, with the time after which to
/// retry.
public actor ImagePipeline {
  /// The configuration of this pipeline.
  public nonisolated let configuration: Configuration

  nonisolated let context: PipelineContext
  /// Whether requests need no preparation and there are no observers: the only check made for an image in
  /// memory.
  nonisolated let isPlain: Atomic<Bool>
  /// Whether new requests are rejected.
  nonisolated let isClosed = Atomic(false)
  /// Whether new requests are accepted.
  nonisolated var isOpen: Bool { !isClosed.load(ordering: .relaxed) }

  /// Creates a pipeline. Pipelines are independent of each other unless they share caches or memory.
  public init(_ configuration: Configuration) {
    context = PipelineContext(configuration)
    self.configuration = context.configuration
    isPlain = Atomic(
      configuration.interceptors.isEmpty && configuration.transforms.isEmpty && context.watch == nil
        && context.scope == nil)
  }

  /// Creates a pipeline with default parts, changed by a closure.
  ///
  /// ```swift
  /// let pipeline = ImagePipeline(urls: .untrusted) { $0.limits.decodes = 4 }
  /// ```
  ///
  /// - Parameters:
  ///   - urls: The trust in the URLs of requests.
  ///   - change: Changes the default configuration.
  public init(urls: URLTrust, _ change: @Sendable (inout Configuration) -> Void = { _ in }) {
    var configuration = Configuration(urls: urls)
    change(&configuration)
    self.init(configuration)
  }

  // MARK: Images

  /// Returns the image at a URL, upright and at full size.
  ///
  /// - Throws: as ``image(for:)-(ImageRequest)``.
  public nonisolated func image(for url: URL) async throws -> Image {
    try await image(for: ImageRequest(url: url))
  }

  /// Returns the image that a request describes.
  ///
  /// - Throws: `LoadingError`, `ImagingError`, ``PipelineError``; `CancellationError` when the task is
  ///   cancelled.
  public nonisolated func image(for request: ImageRequest) async throws -> Image {
    guard isPlain.load(ordering: .relaxed), !request.mayHaveVersion else {
      return try await preparedImage(for: request)
    }
    if let image = imageInMemory(request) { return image }
    return try await deliveredImage(for: request)
  }

  // Work before the first suspension is in separate functions: with thousands of waiting calls, their stack
  // frames would otherwise hold memory for it.
  @inline(never)
  private nonisolated func imageInMemory(_ request: ImageRequest) -> Image? {
    inMemory(request)?.image
  }

  @inline(never)
  private nonisolated func deliveredImage(for request: ImageRequest) async throws -> Image {
    try await delivery(for: request).image
  }

  // A separate function, so that its code does not slow down hits without observers.
  @inline(never)
  private nonisolated func preparedImage(for request: ImageRequest) async throws -> Image {
    let request = prepared(request)
    if context.watch == nil, isOpen {
      if let cached = inMemory(request) { return cached.image }
      return try await deliveredImage(for: request)
    }
    return try await watched(.image, request, outcome: { ImagePipeline.RequestOutcome($0) }) {
      try await found(request)
    }.image
  }

  /// Returns the image that a request describes, with its source and costs.
  ///
  /// - Throws: as ``image(for:)-(ImageRequest)``.
  public nonisolated func response(for request: ImageRequest) async throws -> ImageResponse {
    let request = prepared(request)
    return try await watched(.response, request, outcome: { ImagePipeline.RequestOutcome($0) }) {
      try await found(request)
    }
  }

  @inline(never)
  private nonisolated func found(_ request: ImageRequest) async throws -> ImageResponse {
    if let response = memoryResponse(for: request), isOpen { return response }
    return try await delivery(for: request).response
  }

  /// Returns a load of the image that a request describes, with its progress, previews and events. Loading
  /// begins when the load is awaited or observed.
  public nonisolated func load(_ request: ImageRequest) -> ImageLoad {
    ImageLoad(pipeline: self, request: prepared(request))
  }

  /// Returns a load of the image at a URL, upright and at full size.
  public nonisolated func load(_ url: URL) -> ImageLoad { load(ImageRequest(url: url)) }

  /// Returns the image at a URL, with its source and costs.
  ///
  /// - Throws: as ``image(for:)-(ImageRequest)``.
  public nonisolated func response(for url: URL) async throws -> ImageResponse {
    try await response(for: ImageRequest(url: url))
  }

  /// Returns the image at a URL, if it is in memory now and fresh enough. Never suspends.
  public nonisolated func cachedImage(for url: URL) -> Image? { cachedImage(for: ImageRequest(url: url)) }

  /// Returns the image, if it is in memory now and fresh enough for the request. Never suspends.
  public nonisolated func cachedImage(for request: ImageRequest) -> Image? {
    inMemory(prepared(request))?.image
  }

  // MARK: Data

  /// Returns the encoded bytes of the image at a URL, as served.
  ///
  /// - Throws: as ``data(for:progress:)``.
  public nonisolated func data(for url: URL) async throws -> Data {
    try await data(for: ImageRequest(url: url)).data
  }

  /// Returns the encoded bytes of the image that a request describes, as served: neither downsampled nor
  /// rotated. `progress` is called in the calling task with the progress of the transfer.
  ///
  /// - Throws: as ``image(for:)-(ImageRequest)``; bytes that are no image of a registered format are an error.
  public nonisolated func data(
    for request: ImageRequest, progress: ((LoadProgress) -> Void)? = nil
  ) async throws -> DataResponse {
    let request = prepared(request)
    return try await watched(.data, request, outcome: { ImagePipeline.RequestOutcome($0) }) {
      try await loadData(for: request, progress: progress)
    }
  }

  private nonisolated func loadData(
    for request: ImageRequest, progress: ((LoadProgress) -> Void)?
  ) async throws -> DataResponse {
    let want = try want(request, watchesProgress: progress != nil)
    return try await withDeadline(of: request) { deadline in
      try await retried(request, within: deadline) {
        let place = try subscribeToOriginal(of: request, want)
        deadline?.limit(place)
        return place
      } use: { place in
        var gate = ProgressThrottle(step: request.progressStep)
        while true {
          switch try await place.next([.progress, .interim]) {
          case .arrived(let arrival):
            let arrived = arrival.progress
            if gate.admits(arrived.received, of: arrived.expected) { progress?(arrived) }
          case .interim(let loaded), .ended(let loaded):
            return DataResponse(loaded)
          case .started, .preview: continue
          }
        }
      }
    }
  }

  // MARK: Memory

  /// Returns the request as the pipeline uses it: processed by the interceptors, with the pipeline's
  /// transforms if it has none.
  @inline(never)
  nonisolated func prepared(_ request: ImageRequest) -> ImageRequest {
    if isPlain.load(ordering: .relaxed), !request.mayHaveVersion { return request }
    var request = request
    for interceptor in configuration.interceptors { request = interceptor(request) }
    if !configuration.transforms.isEmpty, request.transforms == .inherit {
      request.transforms = .chain(configuration.transforms)
    }
    if let scope = context.scope { request = request.scoped(to: scope) }
    guard request.mayHaveVersion else { return request }
    return request.versioned(by: request.loader?.part ?? configuration.loader)
  }

  @inline(__always)
  private nonisolated func inMemory(_ request: ImageRequest) -> CachedImage? {
    guard request.isServedFromMemory else { return nil }
    return configuration.caches.decoded?.value(
      for: request.key, allowingStale: request.trustsAge, now: configuration.now())
      ?? (request.acceptsLarger ? largerInMemory(request, allowingStale: request.trustsAge) : nil)
  }

  // Separate from hits, which it would slow down.
  @inline(never)
  private nonisolated func largerInMemory(_ request: ImageRequest, allowingStale: Bool) -> CachedImage? {
    RequestIdentity.sizeVariant(of: request).flatMap {
      configuration.caches.decoded?.value(coveringAtLeast: $0, allowingStale: allowingStale)
    }
  }

  nonisolated func memoryResponse(for request: ImageRequest) -> ImageResponse? {
    guard let cached = inMemory(request) else { return nil }
    let isFresh =
      !request.trustsAge
      || configuration.caches.decoded?.contains(request.key, now: configuration.now()) == true
      || (request.acceptsLarger && largerInMemory(request, allowingStale: false) != nil)
    return ImageResponse(
      image: cached.image, animation: cached.animation, source: .memory,
      original: ImageResponse.Original(cached.provenance),
      byteCount: nil, duration: .zero, isStale: !isFresh)
  }
}
