import BenchmarkHarness
import CalotypeLoading
import CalotypeTestKit
import FoundationEssentials
import Glibc
import Synchronization

/// Loads from a server that does not answer some of its requests for a long time.
enum HedgedLoads {
  /// A number for several tasks.
  private final class Counter: Sendable {
    private let value = Mutex(0)

    /// Returns 1, 2, 3 …
    func next() -> Int {
      value.withLock { value in
        value += 1
        return value
      }
    }
  }

  /// How many loads run at a time.
  private static let concurrency = 16
  /// The time until the head of a response, and that of one in a hundred.
  private static let (usual, stalled) = (Duration.milliseconds(20), Duration.seconds(1))

  /// The 99th percentile, the median and the 99.9th percentile of the milliseconds of so many loads, with hedging or
  /// without, and how many requests were sent a second time.
  static func run(loads: Int, isHedged: Bool) async throws -> [Double] {
    let server = try ChildProcess("/proc/self/exe", arguments: ["--load-once", "stalling"])
    let port = try server.read()
    guard let url = URL(string: "http://127.0.0.1:\(port)/image") else { return [] }
    var transport = CurlLoader.Configuration(maxConcurrent: 64)
    transport.maxConcurrentPerHost = 64
    var configuration = HTTPLoader.Configuration()
    if isHedged { configuration.hedging = HedgingPolicy() }
    let loader = HTTPLoader(configuration, transport: CurlLoader(transport))
    let counter = Counter()
    let times = try await withThrowingTaskGroup(of: [Duration].self) { group in
      for _ in 0..<concurrency {
        group.addTask {
          var times: [Duration] = []
          while counter.next() <= loads {
            let time = try await ContinuousClock().measure {
              _ = try await loader.data(for: LoadRequest(url: url))
            }
            times.append(time)
          }
          return times
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }.sorted()
    }
    withExtendedLifetime(server) {}
    func percentile(_ perMille: Int) -> Double {
      times.isEmpty ? 0 : times[(times.count * perMille + 999) / 1000 - 1] / .milliseconds(1)
    }
    return [percentile(990), percentile(500), percentile(999), Double(loader.statistics.hedges)]
  }

  /// Runs the server: prints its port, and serves until standard input ends.
  static func serve() throws -> [Double] {
    let server = try ScriptedHTTPServer()
    let counter = Counter()
    let body = Data(repeating: 1, count: 10_000)
    server.route("/image") { _ in
      // The hundredth is the first, when the loader knows the usual time.
      let time = counter.next() % 100 == 0 ? stalled : usual
      return ScriptedReply([.drip(Data(), time)] + ScriptedReply.body(body).steps)
    }
    print(server.port)
    fflush(nil)
    withExtendedLifetime(server) {
      while readLine() != nil {}
    }
    return []
  }
}
