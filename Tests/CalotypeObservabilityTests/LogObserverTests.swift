@testable import CalotypeObservability
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import Logging
import PipelineSamples
import Testing

@testable import Calotype

@Suite("Logs", .timeLimit(.minutes(5)))
struct LogObserverTests {
  /// What was written, for all copies of a handler.
  private final class Book: Sendable {
    private let state = Lock([LogEvent]())
    var events: [LogEvent] { state.withLock { $0 } }
    func add(_ event: LogEvent) { state.withLock { $0.append(event) } }
  }

  private struct Handler: LogHandler {
    let book: Book
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { book.add(event) }
  }

  private let book = Book()

  private func pipeline(level: Logger.Level = .trace) -> ImagePipeline {
    let book = book
    var logger = Logger(label: "test") { _ in Handler(book: book) }
    logger.logLevel = level
    var configuration = ImagePipeline.Configuration(loader: Samples.loader, diskCache: nil)
    configuration.memoryCache = MemoryCache(byteLimit: 1 << 20)
    configuration.observers = [LogObserver(logger: logger, successLevel: .info)]
    return ImagePipeline(configuration)
  }

  /// Those about requests, not about stages.
  private var requests: [LogEvent] { book.events.filter { $0.metadata?["request.id"] != nil } }

  @Test("a success at the level that was given, with where it came from; one from memory at trace")
  func success() async throws {
    let pipeline = pipeline()
    let png = try Samples.png()
    let request = ImageRequest(source: .data(png, id: "a"))
    _ = try await pipeline.image(for: request)
    _ = try await pipeline.image(for: request)
    #expect(requests.map(\.level) == [.info, .trace])
    #expect(requests.map { $0.metadata?["source"] } == ["loader", "memory"])
    #expect(requests[0].metadata?["bytes"] == "\(png.count)")
    #expect(requests[0].metadata?["url"] == "\(request.source)")
    #expect(requests[0].metadata?["duration_ms"] != nil)
    #expect(requests[0].metadata?["request.id"] != requests[1].metadata?["request.id"])
    let stages = book.events.compactMap { $0.metadata?["stage"] }
    #expect(stages.contains("load"))
    #expect(stages.contains("decode"))
  }

  @Test("what the source does wrong is a warning, what is wrong here an error, cancelling neither")
  func failures() async throws {
    let server = try ScriptedHTTPServer()
    server.route("/404", .status(404))
    let pipeline = pipeline(level: .debug)
    await #expect(throws: LoadingError.self) { try await pipeline.image(for: server.url("/404")) }
    let broken = ImageRequest(source: .data(Data("nothing".utf8), id: "a"))
    await #expect(throws: ImagingError.self) { try await pipeline.image(for: broken) }
    struct Mine: Error {}
    var observer = requests.map { "\($0.level) \($0.metadata?["error.code"] ?? "")" }
    #expect(observer == ["warning httpStatus", "warning unrecognizedFormat"])
    #expect(requests[0].metadata?["http.status"] == "404")
    #expect(requests[0].metadata?["error.retryable"] == "false")
    let told = LogObserver(logger: Logger(label: "test") { [book] _ in Handler(book: book) })
    let request = ImagePipeline.ObservedRequest(id: 1, kind: .image, request: broken)
    let full = CachingError.diskFull(path: "/tmp")
    for error in [Mine(), full, CancellationError()] as [any Error] {
      told.requestFinished(request, outcome: ImagePipeline.RequestOutcome(error), duration: .zero)
    }
    observer = requests.dropFirst(2).map { "\($0.level) \($0.metadata?["error.code"] ?? "")" }
    #expect(observer == ["error other", "error cacheDiskFull", "debug "])
  }

  @Test("why an address was refused is for the log alone")
  func refusals() async throws {
    let told = LogObserver(logger: Logger(label: "test") { [book] _ in Handler(book: book) })
    let url = try #require(URL(string: "https://images.example/a.png"))
    let request = ImagePipeline.ObservedRequest(id: 1, kind: .image, request: ImageRequest(url: url))
    let error = LoadingError.addressRefused(url, reason: "private address 10.0.0.5")
    told.requestFinished(request, outcome: ImagePipeline.RequestOutcome(error), duration: .zero)
    #expect(requests.map { $0.metadata?["error.reason"] } == ["private address 10.0.0.5"])
    #expect(!"\(error)".contains("10.0.0.5") && !String(reflecting: error.description).contains("private"))
  }

  @Test("errors of a cache are a warning, once for each code until it works again")
  func cacheErrors() async throws {
    let told = LogObserver(logger: Logger(label: "test") { [book] _ in Handler(book: book) })
    var statistics = ImagePipeline.Statistics()
    func sample(_ count: Int, _ code: String?) {
      (statistics.cacheErrors, statistics.lastCacheErrorCode) = (count, code)
      told.sampled(ImagePipeline.Sample(statistics: statistics))
    }
    for (count, code) in [
      (0, nil), (3, "cacheReadOnly"), (5, "cacheReadOnly"), (6, "cacheLocked"), (6, "cacheLocked"),
      (7, "cacheLocked"),
    ] as [(Int, String?)] { sample(count, code) }
    #expect(
      book.events.map { "\($0.level) \($0.metadata?["error.code"] ?? "") \($0.metadata?["errors"] ?? "")" }
        == [
          "warning cacheReadOnly 3", "debug cacheReadOnly 2", "warning cacheLocked 1",
          "warning cacheLocked 1",
        ])
  }

  @Test("a disk cache whose folder cannot be used is in the log after the first sample")
  func unusableFolder() async throws {
    let folder = try TemporaryFolder()
    try Data("a file".utf8).write(to: folder.url.appending(path: "cache"))
    let book = book
    var configuration = ImagePipeline.Configuration(
      loader: Samples.loader, diskCache: DiskCache(.init(folder: folder.url.appending(path: "cache"))))
    configuration.observers = [LogObserver(logger: Logger(label: "test") { _ in Handler(book: book) })]
    let pipeline = ImagePipeline(configuration)
    await pipeline.sample()
    #expect(book.events.map(\.level) == [.warning])
    #expect(book.events.first?.metadata?["error.code"] != nil)
    await pipeline.shutDown(within: .seconds(5))
  }

  @Test("neither passwords nor header fields, credentials or partitions are written")
  func secrets() async throws {
    let server = try ScriptedHTTPServer()
    server.route("/a.png", .body(try Samples.png()))
    server.route("/404", .status(404, headers: [("X-Answer", "secret-answer")]))
    let pipeline = pipeline()
    for path in ["/a.png", "/404"] {
      let address = server.url(path).absoluteString
        .replacing("http://", with: "http://user:secret-password@")
      var request = ImageRequest(url: try #require(URL(string: address)))
      request.headers[try #require(HTTPField.Name("X-Token"))] = "secret-header"
      request.credential = .bearer("secret-token")
      request.partition = "secret-partition"
      _ = try? await pipeline.image(for: request)
    }
    await pipeline.settle()
    #expect(requests.count == 2)
    #expect(!book.events.isEmpty)
    for event in book.events {
      #expect(!"\(event.message) \(event.metadata ?? [:])".contains("secret"))
    }
  }
}
