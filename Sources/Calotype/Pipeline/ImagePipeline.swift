public import CalotypeCaching
public import CalotypeImaging
import CalotypeSupport
public import FoundationEssentials
import HTTPTypes

/// Loads, decodes, shrinks and caches images; shares the work between everyone who asks for the same.
///
/// ```swift
/// let pipeline = ImagePipeline()
/// let image = try await pipeline.image(for: url)
/// ```
///
/// An image is looked for in memory, then as a finished result on disk, then as an original on disk, and then
/// asked of the loader. Callers with the same ``ImageRequest/key`` share one job; requests for different sizes
/// of one source share its transfer. Cancelling a task takes one caller out; when the last one is gone, the job
/// is cancelled and its connection closed. Each caller gets exactly one result or one error.
///
/// The actor keeps the books of running jobs. Decoding runs on threads of its own, file access and transfers on
/// those of the caches and loaders. An image in memory is returned without any suspension.
public actor ImagePipeline {
  /// What this pipeline is made of.
  public nonisolated let configuration: Configuration

  private var imageJobs: [JobKey: Job<ImageResponse>] = [:]
  var sourceJobs: [JobKey: Job<LoadedSource>] = [:]

  private var refreshJobs: [JobKey: Job<LoadedSource>] = [:]

  nonisolated let counters = PipelineCounters()
  nonisolated let workers: WorkerExecutor

  /// Creates a pipeline. Pipelines are independent of each other unless they are given the same caches.
  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
    workers = WorkerExecutor(name: "calotype-decode", threads: configuration.decodeConcurrency)
  }

  // MARK: Images

  /// The image at a URL, upright and at full size.
  ///
  /// - Throws: `LoadingError`, `ImagingError`, ``PipelineError``; `CancellationError` when the task is
  ///   cancelled.
  public nonisolated func image(for url: URL) async throws -> Image {
    try await image(for: ImageRequest(url: url))
  }

  /// The image that a request describes.
  ///
  /// - Throws: `LoadingError`, `ImagingError`, ``PipelineError``; `CancellationError` when the task is
  ///   cancelled.
  public nonisolated func image(for request: ImageRequest) async throws -> Image {
    // Not by way of `cachedImage(for:)`: an optional image is copied once more than an image.
    if let cached = inMemory(request) { return cached.image }
    return try await makeResponse(for: request).image
  }

  /// The image that a request describes, and where it came from.
  ///
  /// - Throws: as ``image(for:)-(ImageRequest)``.
  public nonisolated func response(for request: ImageRequest) async throws -> ImageResponse {
    if let response = memoryResponse(for: request) { return response }
    return try await makeResponse(for: request)
  }

  /// Progress of the transfer, then the image. Nothing is loaded before the first iteration.
  public nonisolated func events(for request: ImageRequest) -> ImageEvents {
    ImageEvents(pipeline: self, request: request)
  }

  /// The image, if it is in memory now and fresh enough for the request. Never suspends.
  public nonisolated func cachedImage(for request: ImageRequest) -> Image? {
    inMemory(request)?.image
  }

  @inline(__always)
  private nonisolated func inMemory(_ request: ImageRequest) -> CachedImage? {
    guard request.cachePolicy.readsCaches, !request.hasCacheDirectives else { return nil }
    let trustsAge = request.cachePolicy.trustsAge
    return configuration.memoryCache?.value(for: request.key, allowingStale: trustsAge)
      ?? (request.acceptsLarger ? largerInMemory(request) : nil)
  }

  // Apart from hits, which it would make slower.
  @inline(never)
  private nonisolated func largerInMemory(_ request: ImageRequest) -> CachedImage? {
    RequestIdentity.rendition(of: request).flatMap {
      configuration.memoryCache?.value(coveringAtLeast: $0, allowingStale: request.cachePolicy.trustsAge)
    }
  }

  /// Removes what the caches hold of a selection: originals and results, in memory and on disk.
  ///
  /// What is being made meanwhile may be stored afterwards.
  ///
  /// - Throws: `CachingError` when the disk cache fails; memory is clear then.
  public nonisolated func removeCached(_ selection: CacheSelection) async throws {
    configuration.memoryCache?.removeAll(selection)
    _ = try await writableDiskCache?.removeAll(selection)
  }

  // MARK: Data

  /// The encoded bytes of the image at a URL, as they are served.
  ///
  /// - Throws: as ``image(for:)-(URL)``; bytes that are no image of a registered format are an error.
  public nonisolated func data(for url: URL) async throws -> Data {
    try await data(for: ImageRequest(url: url)).data
  }

  /// The encoded bytes of the image that a request describes, as they are served: neither shrunk nor turned.
  ///
  /// - Throws: as ``data(for:)-(URL)``.
  public nonisolated func data(for request: ImageRequest) async throws -> DataResponse {
    let subscription = await subscribe(toSourceOf: request, policy: request.cachePolicy)
    defer { subscription.leave() }
    let loaded = try await subscription.value()
    return DataResponse(data: loaded.data, source: loaded.source, contentType: loaded.metadata.contentType)
  }

  // MARK: Encoding

  /// The image in an encoded form, made on the pipeline's decoding threads.
  ///
  /// - Throws: `ImagingError`; `CancellationError` when the task is cancelled before its turn.
  public nonisolated func encode(_ image: Image, as options: EncodeOptions) async throws -> Data {
    try await workers.run { try configuration.coders.encode(image, as: options) }
  }

  // MARK: Books

  /// Waits until the jobs that are running now have ended and their results are in the caches.
  ///
  /// A caller has its image before it is written to disk; call this before the process ends.
  public func flush() async {
    for job in Array(imageJobs.values) { await job.windUp() }
    // Afterwards: image jobs start source jobs.
    for job in Array(sourceJobs.values) { await job.windUp() }
    for job in Array(refreshJobs.values) { await job.windUp() }
  }

  /// Counters, and the number of jobs running now.
  public var statistics: Statistics {
    var statistics = counters.snapshot
    statistics.runningImageJobs = imageJobs.count
    statistics.runningSourceJobs = sourceJobs.count + refreshJobs.count
    return statistics
  }

  /// The disk cache, if it is not only read.
  nonisolated var writableDiskCache: (any DataCaching)? {
    configuration.diskCache.flatMap { $0.isReadOnly ? nil : $0 }
  }

  nonisolated func memoryResponse(for request: ImageRequest) -> ImageResponse? {
    cachedImage(for: request).map {
      ImageResponse(
        image: $0, source: .memory, byteCount: nil, duration: .zero,
        isStale: request.cachePolicy.trustsAge && configuration.memoryCache?.contains(request.key) != true
          && !request.acceptsLarger)
    }
  }

  private nonisolated func makeResponse(for request: ImageRequest) async throws -> ImageResponse {
    let subscription = await subscribe(to: request)
    defer { subscription.leave() }
    return try await subscription.value()
  }

  /// Joins the job for a request, or starts it.
  func subscribe(to request: ImageRequest) -> Subscription<ImageResponse> {
    let key = JobKey(request.key, of: request, policy: request.cachePolicy)
    let (subscription, isNew) = join(&imageJobs[key], priority: request.priority)
    if let job = isNew {
      job.start(priority: request.priority) { job in
        await self.runImageJob(job, for: request)
        await self.forget(imageJob: job, key)
      }
    }
    return subscription
  }

  /// Joins the job that fetches the original of a request, or starts it.
  ///
  /// - Parameters:
  ///   - request: Whose original.
  ///   - policy: Which caches to use.
  ///   - waits: Whether to wait for the server where what is stale may be used while it is asked.
  func subscribe(
    toSourceOf request: ImageRequest, policy: CachePolicy, waits: Bool = false
  ) -> Subscription<LoadedSource> {
    let key = JobKey(request.sourceKey, of: request, policy: policy, waits: waits)
    // Somebody may have joined who wants it sooner than the request that started the calling job.
    let priority = max(request.priority, Task.currentPriority)
    let (subscription, isNew) = join(&sourceJobs[key], priority: priority)
    if let job = isNew {
      job.start(priority: priority) { job in
        await self.runSourceJob(job, for: request, policy: policy, waits: waits)
        await self.forget(sourceJob: job, key)
      }
    }
    return subscription
  }

  /// Asks the server about what is kept of an original, unless somebody does already.
  func refresh(_ request: ImageRequest, kept: KeptOriginal, conditional: HTTPFields) {
    let key = JobKey(request.sourceKey, of: request, policy: .http)
    let (place, isNew) = join(&refreshJobs[key], priority: .utility)
    guard let job = isNew else { return place.leave() }
    job.start(priority: .utility) { job in
      // Nobody waits for it, and nobody's leaving ends it.
      defer { place.leave() }
      await self.runRefreshJob(job, for: request, kept: kept, conditional: conditional)
      await self.forget(refreshJob: job, key)
    }
  }

  /// A place in the job that asks about an original, if there is one.
  func subscribe(toRefreshOf request: ImageRequest) -> Subscription<LoadedSource>? {
    refreshJobs[JobKey(request.sourceKey, of: request, policy: .http)]?.join(priority: request.priority)
  }

  /// A place in the job of a slot; the slot is filled with a new job when there is none to join.
  private func join<Value>(
    _ slot: inout Job<Value>?, priority: TaskPriority
  ) -> (Subscription<Value>, new: Job<Value>?) {
    if let subscription = slot?.join(priority: priority) { return (subscription, nil) }
    let (job, subscription) = Job<Value>.make()
    slot = job
    return (subscription, job)
  }

  // A slot may hold a successor already: a job that was cancelled by its last subscriber cannot be joined.

  private func forget(imageJob job: Job<ImageResponse>, _ key: JobKey) {
    if imageJobs[key] === job { imageJobs[key] = nil }
  }

  private func forget(refreshJob job: Job<LoadedSource>, _ key: JobKey) {
    if refreshJobs[key] === job { refreshJobs[key] = nil }
  }

  private func forget(sourceJob job: Job<LoadedSource>, _ key: JobKey) {
    if sourceJobs[key] === job { sourceJobs[key] = nil }
  }
}
