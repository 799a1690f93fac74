import BenchmarkHarness
import Calotype
import CalotypeTestKit
import FoundationEssentials

/// Images of a fast host while another takes its time.
enum SlowHost {
  /// Medians of milliseconds until an image of the fast host is there: while 60 requests wait for a host that takes five
  /// seconds for each, and without them. Loader and limits are the defaults.
  static func run() async throws -> [Double] {
    let (slow, fast) = (try ScriptedHTTPServer(), try ScriptedHTTPServer())
    let body = try SampleImages.still(.jpeg(), width: 320, height: 240)
    let head = ScriptedReply.Step.head(200, [("Content-Length", "\(body.count)")])
    slow.route("/image", ScriptedReply([.drip(Data(), .seconds(5)), head, .bytes(body)]))
    fast.route("/image", .body(body))
    let pipeline = ImagePipeline(urls: .trusted) { ($0.memoryCache, $0.diskCache) = (nil, nil) }
    let unloaded = await latencies(20, from: fast, of: pipeline, first: 0)
    let callers = (0..<60).compactMap { URL(string: "\(slow.url("/image"))?\($0)") }.map { url in
      Task { try await pipeline.image(for: url) }
    }
    try await slow.waitForRequests("/image", count: 1)
    let loaded = await latencies(20, from: fast, of: pipeline, first: 100)
    for caller in callers { caller.cancel() }
    slow.stop()
    return [LoadFigures.median(loaded), LoadFigures.median(unloaded)]
  }

  /// One request each 250 milliseconds, whether or not the others have been answered.
  private static func latencies(
    _ count: Int, from server: ScriptedHTTPServer, of pipeline: ImagePipeline, first: Int
  ) async -> [Duration] {
    let address = server.url("/image").absoluteString
    return await withTaskGroup(of: Duration.self) { group in
      for index in first..<first + count {
        group.addTask {
          await LoadFigures.time(atMost: .seconds(60)) {
            guard let url = URL(string: "\(address)?\(index)") else { return }
            _ = try await pipeline.image(for: url)
          }
        }
        try? await Task.sleep(for: .milliseconds(250))
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }
}
