public import Calotype
import CalotypeAdmission
import CalotypeCaching
import CalotypeImaging
import CalotypeIsolation
public import CalotypeLoading
import CalotypeObservability
import CalotypePlanning
public import CalotypeSettings
import CalotypeTiers
import Crypto
import FoundationEssentials
import Glibc
import HTTPTypes
public import Tracing

/// The parts of a server that live as long as it does: pipeline, caches, queue, and the images of its settings.
public struct ServerParts: Sendable {
  let pipeline: ImagePipeline
  let admission: Admission
  let store: ResultStore
  /// The sources on disk; `nil` if they are not kept.
  let sources: DiskCache?
  let watermark: Bitmap?
  let watermarkImage: WatermarkImage?
  let fallback: Data?
  /// The most bytes of the pixels of watermarks that URLs name.
  let watermarkBytes: Int
  let spans: StageSpans
  /// The means that this node shares with others.
  public let tiers: SharedTiers

  /// The pipeline, for the services of a process.
  public var service: ImagePipeline { pipeline }

  /// Creates the parts that settings describe, and reads the images that they name.
  ///
  /// - Parameters:
  ///   - loader: Reads sources in place of the loaders of the settings.
  ///   - tracer: Gets the spans of requests.
  /// - Throws: The error of a watermark or fallback image that cannot be read.
  public init(
    _ settings: Settings, loader: (any ImageLoading)? = nil, tracer: any Tracer = InstrumentationSystem.tracer
  ) async throws {
    try await self.init(settings, loader: loader, tracer: tracer, tiers: SharedTiers(settings))
  }

  init(
    _ settings: Settings, loader: (any ImageLoading)?, tracer: any Tracer = NoOpTracer(), tiers: SharedTiers
  ) async throws {
    spans = StageSpans(tracer: tracer)
    self.tiers = tiers
    let memory = settings.cache.memoryBytes
    let workers = Self.workers(settings)
    let decoded = settings.limits.decodedBytes > 0 ? settings.limits.decodedBytes : Self.decodedBytes
    let loaders: [any ImageLoading] = if let loader { [loader] } else { try Self.loaders(settings) }
    sources = Self.sources(settings)
    pipeline = Self.makePipeline(
      settings, workers: workers, tracer: tracer,
      loader: LoaderGroup(
        [BytesLoader()]
          + loaders.map { loader in
            settings.metrics.continuesTraces ? TracedLoader(base: loader, tracer: tracer) : loader
          }), sources, tiers)
    watermarkBytes = min(64 << 20, decoded / 8)
    var admission = AdmissionConfiguration(workers: workers, byteBudget: decoded)
    admission.maximumDuration = settings.server.timeout
    if settings.concurrency.queueSize > 0 { admission.maximumWaiting = settings.concurrency.queueSize }
    admission.maximumWait =
      settings.concurrency.queueTime == .zero ? nil : settings.concurrency.queueTime
    self.admission = Admission(admission, clock: ContinuousClock())
    let folder = settings.cache.directory
    store = ResultStore(
      memory: MemoryCache(byteLimit: memory > 0 ? memory : nil),
      disk: folder.isEmpty
        ? nil
        : DiskCache(
          DiskCache.Configuration(
            folder: URL(filePath: folder), namespace: "results", byteLimit: settings.cache.diskBytes)),
      shared: tiers.results, log: tiers.purges)
    // After everything that follows the log was registered there.
    await tiers.start()
    let mark = try await Self.image(
      data: settings.watermark.data, path: settings.watermark.path, url: settings.watermark.url, pipeline)
    if let mark {
      let image = try await pipeline.decode(mark)
      watermark = image.bitmap
      let id = HexText.text(SHA256.hash(data: mark).prefix(12))
      watermarkImage = WatermarkImage(id: id, size: image.bitmap.size)
    } else {
      (watermark, watermarkImage) = (nil, nil)
    }
    fallback = try await Self.image(
      data: settings.fallback.data, path: settings.fallback.path, url: settings.fallback.url, pipeline)
  }

  /// Looks at what settings need of the machine: folders, files, and the sandbox of decoders, which is started and ended. Blocks
  /// for milliseconds, or 10 seconds if its process does not respond: call it before the server starts.
  ///
  /// - Parameters:
  ///   - settings: The settings.
  ///   - opensLibraries: Whether the sandbox opens the libraries of all formats, too.
  /// - Throws: ``ServerStartError``.
  public static func check(_ settings: Settings, opensLibraries: Bool = true) throws(ServerStartError) {
    let root = settings.sources.localRoot
    var isFolder = false
    if !root.isEmpty {
      let isThere = FileManager.default.fileExists(atPath: root, isDirectory: &isFolder)
      guard isThere, isFolder, access(root, R_OK | X_OK) == 0 else { throw .unreadableRoot(root) }
    }
    for path in [settings.watermark.path, settings.fallback.path] where !path.isEmpty {
      guard access(path, R_OK) == 0 else { throw .unreadableImage(path) }
    }
    guard let configuration = decoding(settings, workers: 1).configuration else { return }
    if let reason = SandboxCheck(configuration, opensLibraries: opensLibraries).reason {
      throw .noSandbox(reason: reason)
    }
  }

  /// The loaders of sources: HTTP with the addresses that settings allow, and files below the root of local sources.
  private static func loaders(_ settings: Settings) throws -> [any ImageLoading] {
    var transport = CurlLoader.Configuration(
      maxConcurrent: settings.concurrency.downloads,
      maxConcurrentPerHost: settings.concurrency.downloadsPerHost)
    transport.addressPolicy = AddressPolicy(settings.security)
    transport.maxRedirects = settings.security.maxRedirects
    let allowed = settings.security.allowedSources.map { SourcePattern($0) }
    if !allowed.isEmpty {
      transport.allowsRedirect = { url in allowed.contains { $0.matches(url.absoluteString) } }
    }
    transport.tls.verifiesServer = !settings.security.ignoresCertificates
    let agent = settings.server.userAgent.replacing("%current_version", with: "1")
    if !agent.isEmpty { transport.headers[.userAgent] = agent }
    for pair in settings.server.requestHeaders.exposed {
      if let name = HTTPField.Name(pair.name) { transport.headers[name] = pair.value }
    }
    var loading = HTTPLoader.Configuration()
    // The fetcher of the server remembers failures itself.
    loading.failureMemory = nil
    let http = HTTPLoader(loading, transport: CurlLoader(transport))
    var loaders: [any ImageLoading] = [http]
    // Texts of URLs are resolved below one of them; links do not lead out of both.
    let roots = [settings.sources.localRoot, settings.watermark.directory].filter { !$0.isEmpty }
    if !roots.isEmpty { loaders.append(FileLoader(roots: roots)) }
    if let objects = try SharedTiers.loader(settings) { loaders.append(objects) }
    return loaders
  }

  private static func makePipeline(
    _ settings: Settings, workers: Int, tracer: any Tracer, loader: LoaderGroup, _ disk: DiskCache?,
    _ tiers: SharedTiers
  ) -> ImagePipeline {
    var originals: (any DataCaching)? = disk
    if let shared = tiers.originals {
      originals = originals.map { CacheGroup([$0, shared], policies: .init(store: .concurrent)) } ?? shared
    }
    var configuration = ImagePipeline.Configuration(
      loader: loader, memoryCache: nil, diskCache: nil, originalCache: originals)
    configuration.nodes.purges = tiers.purges
    // Without a bucket, nodes have nothing to share.
    if let originals = tiers.originals {
      configuration.nodes.flights = tiers.flights
      configuration.nodes.sharesOriginals = { originals.isAnswering }
    }
    configuration.decoding = decoding(settings, workers: workers)
    configuration.limits.loads = settings.concurrency.downloads
    configuration.limits.loadsPerOrigin = settings.concurrency.downloadsPerHost
    configuration.limits.decodes = workers
    // Admission bounds the work on pixels; headers are to find a place beside it.
    configuration.limits.transforms = workers + 2
    configuration.limits.encodes = workers
    configuration.freshness.staleWhileRevalidate = settings.httpCache.staleWhileRevalidate
    configuration.tracer = DistributedTracing(tracer)
    configuration.drainDeadline = settings.server.stopTimeout
    return ImagePipeline(configuration)
  }

  private static func sources(_ settings: Settings) -> DiskCache? {
    guard !settings.cache.directory.isEmpty, settings.cache.sourceBytes > 0 else { return nil }
    return DiskCache(
      DiskCache.Configuration(
        folder: URL(filePath: settings.cache.directory), namespace: "sources",
        byteLimit: settings.cache.sourceBytes))
  }

  /// The activity of all caches, of leases, and of the log of purges.
  var tierFigures: TierFigures {
    var caches = [TierFigures.Cache(store.memoryStatistics)]
    if let disk = store.diskActivity { caches.append(.init(disk, of: .results)) }
    if let disk = sources?.activity { caches.append(.init(disk, of: .sources)) }
    return TierFigures(
      caches: caches + tiers.caches, readTimes: store.readTimes, leases: tiers.flights?.statistics,
      purges: tiers.purgeFigures)
  }

  /// The place where images are decoded: a process for each worker, and one for headers.
  private static func decoding(_ settings: Settings, workers: Int) -> DecodingIsolation {
    switch settings.security.sandbox {
    case .all: return .sandboxed(workers: workers + 1)
    case .libraries:
      guard var configuration = DecodingIsolation.automatic.configuration else { return .automatic }
      configuration.workers = workers + 1
      return .sandboxed(configuration)
    case .none: return .inProcess
    }
  }

  private static func workers(_ settings: Settings) -> Int {
    settings.concurrency.workers > 0 ? settings.concurrency.workers : ImagePipeline.Limits().decodes
  }

  /// Two fifths of the memory that the process may use, from 64 MiB to 1 GiB.
  private static var decodedBytes: Int { max(64 << 20, ImagePipeline.Memory.defaultByteLimit) }

  /// Reads an image of the settings.
  private static func image(
    data: String, path: String, url: String, _ pipeline: ImagePipeline
  ) async throws -> Data? {
    if !data.isEmpty {
      guard let bytes = Data(base64Encoded: data) else { throw ServerStartError.malformedImage("base64") }
      return bytes
    }
    if !path.isEmpty {
      do { return try Data(contentsOf: URL(filePath: path)) } catch {
        throw ServerStartError.unreadableImage(path)
      }
    }
    if !url.isEmpty {
      guard let address = URL(string: url) else { throw ServerStartError.malformedImage(url) }
      return try await pipeline.data(for: address)
    }
    return nil
  }
}
