import Calotype
import CalotypeObservability
import FoundationEssentials
import Hummingbird
import Logging

/// Serves thumbnails of remote images: `GET /thumbnail?url=https://…&width=320&height=240`.
///
/// In the format that the client accepts, with `ETag`, `Cache-Control` and `Vary`; conditional and range requests are
/// answered, errors have their status, a client that disconnects cancels its work, and a graceful shutdown completes
/// the requests in progress. `GET /metrics` has some counters in the format of Prometheus; a backend of swift-metrics gets
/// all of them.
///
///     swift run -c release ThumbnailServer 8080 [trusted]
@main
struct ThumbnailServer {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    let logger = Logger(label: "thumbnails")
    let pipeline = ImagePipeline(urls: arguments.contains("trusted") ? .trusted : .untrusted) {
      $0.observers = [LogObserver(logger: logger), MetricsObserver()]
    }
    let router = Router(options: .autoGenerateHeadEndpoints)
    router.get("thumbnail") { request, _ in
      do {
        return Response(try await thumbnail(for: request, from: pipeline))
      } catch let error as any CalotypeError {
        var headers: HTTPFields = [.contentType: "text/plain; charset=utf-8"]
        headers[.retryAfter] = error.retryAfter.map { String($0.components.seconds) }
        return Response(
          status: .init(code: error.gatewayStatus), headers: headers,
          body: ResponseBody(byteBuffer: ByteBuffer(string: error.code + "\n")))
      }
    }
    router.get("metrics") { _, _ in
      let now = pipeline.statistics
      let counters = [
        "loads": now.loads, "decodes": now.decodes, "encodes": now.encodes, "requests": now.requests,
      ]
      return counters.sorted { $0.key < $1.key }.map { "calotype_\($0.key) \($0.value)\n" }.joined()
    }
    let address = BindAddress.hostname("127.0.0.1", port: arguments.first.flatMap { Int($0) } ?? 8080)
    var application = Application(router: router, configuration: .init(address: address), logger: logger)
    application.addServices(pipeline)
    try await application.runService()
  }

  static func thumbnail(for request: Request, from pipeline: ImagePipeline) async throws -> EncodedImage.Reply
  {
    let query = request.uri.queryParameters
    guard let url = query.get("url").flatMap(URL.init(string:)) else { throw HTTPError(.badRequest) }
    let (width, height) = (query.get("width", as: Int.self) ?? 320, query.get("height", as: Int.self) ?? 320)
    guard (1...2_000).contains(width), (1...2_000).contains(height) else { throw HTTPError(.badRequest) }
    let thumbnail = ImageRequest(url: url, thumbnail: .fit(width: width, height: height))
    let accept = request.headers[values: .accept].joined(separator: ",")
    let form = OutputNegotiation.negotiated(accept: accept, among: [.webp(), .png, .jpeg()])
    if let image = pipeline.cachedEncoded(thumbnail, as: form) { return image.reply(to: request.headers) }
    // Cancelled when the client closes the connection.
    let image = try await request.body.consumeWithCancellationOnInboundClose { _ in
      try await pipeline.encoded(thumbnail, as: form)
    }
    return image.reply(to: request.headers)
  }
}

extension Response {
  init(_ reply: EncodedImage.Reply) {
    self.init(
      status: reply.status, headers: reply.fields,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: reply.data)))
  }
}
