import Calotype
import CalotypeHummingbird
import CalotypeObservability
import FoundationEssentials
import Hummingbird
import Logging

/// Serves thumbnails of remote images: `GET /thumbnail?url=https://…&width=320&height=240`.
///
/// In the format that the client accepts, with `ETag`, `Cache-Control` and `Vary`; conditional and range requests are
/// answered, errors have their status, a client that disconnects cancels its work, one that stalls is disconnected, and
/// a graceful shutdown completes the requests in progress. `GET /metrics` has some counters in the format of Prometheus;
/// a backend of swift-metrics gets all of them.
///
///     swift run -c release ThumbnailServer 8080 [trusted]
///
/// With `trusted`, clients also reach this machine, its network and its images in files: for tests alone.
@main
struct ThumbnailServer {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    let logger = Logger(label: "thumbnails")
    let pipeline = ImagePipeline(urls: arguments.contains("trusted") ? .trusted : .untrusted) {
      $0.observers = [LogObserver(logger: logger), MetricsObserver()]
    }
    let router = Router(context: ClientContext.self, options: .autoGenerateHeadEndpoints)
    router.get("thumbnail") { request, context in
      var thumbnail = try order(of: request)
      let form = OutputNegotiation.negotiated(for: request.headers, among: formats)
      if let image = pipeline.cachedEncoded(thumbnail, as: form) { return Response(image, for: request) }
      // With all retries, also of an origin that never answers.
      thumbnail.timeouts.total = .seconds(20)
      do {
        let image = try await context.whileConnected { [thumbnail] in
          try await pipeline.encoded(thumbnail, as: form)
        }
        return Response(image, for: request)
      } catch let error as any CalotypeError {
        return Response(error)
      }
    }
    router.get("metrics") { _, _ in
      let now = pipeline.statistics
      let counters = [
        "loads": now.loads, "disk_hits": now.diskHits, "decodes": now.decodes, "encodes": now.encodes,
        "requests": now.requests,
      ]
      return counters.sorted { $0.key < $1.key }.map { "calotype_\($0.key) \($0.value)\n" }.joined()
    }
    // A client that sends or reads nothing for so long is disconnected: it must not hold memory or a place for ever.
    let patience = ProcessInfo.processInfo.environment["CLIENT_SECONDS"].flatMap { Int64($0) } ?? 20
    let address = BindAddress.hostname("127.0.0.1", port: arguments.first.flatMap { Int($0) } ?? 8080)
    var application = Application(
      router: router,
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [ClientHandler(limit: .seconds(patience))],
          idleTimeout: .seconds(patience))),
      configuration: .init(address: address, availableConnectionsDelegate: .maximum(4_096, logger: logger)),
      logger: logger)
    application.addServices(pipeline)
    try await application.runService()
  }

  /// The formats to choose from, the most compatible one last.
  private static let formats: [EncodeOptions] = [.webp(), .png, .jpeg()]

  /// Reads a request.
  private static func order(of request: Request) throws -> ImageRequest {
    var (url, width, height) = (URL?.none, 320, 320)
    for (name, value) in request.uri.queryParameters {
      switch name {
      case "url": url = URL(string: String(value))
      case "width": width = try side(value)
      case "height": height = try side(value)
      default: break
      }
    }
    guard let url else { throw HTTPError(.badRequest) }
    return ImageRequest(url: url, thumbnail: .fit(width: width, height: height))
  }

  private static func side(_ text: Substring) throws -> Int {
    guard let side = Int(text), (1...2_000).contains(side) else { throw HTTPError(.badRequest) }
    return side
  }
}
