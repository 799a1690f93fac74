import BenchmarkHarness
import CalotypeLoading
import FoundationEssentials
import Glibc

/// Programs that exit while transfers over TLS are under way, at a moment drawn at random: each with its own status, and
/// not with a fault in what the loader's thread was using.
struct ExitSoak {
  let runs: Int
  let seed: Int

  /// Returns whether all went well.
  func run() async throws -> Bool {
    let server = try LocalServer.nghttpd()
    try server.serve("body", byteCount: 50_000)
    guard let caFile = server.caFile else { return false }
    // A fault is counted here; each is not to be explained at length.
    setenv("SWIFT_BACKTRACE", "enable=no", 1)
    var random = SplitMix(seed: seed)
    var faults = 0
    for _ in 0..<runs {
      // The first milliseconds are those of the set-up, which is worth as many tries as the rest.
      let limit: UInt64 = random.next() % 2 == 0 ? 8_000 : 60_000
      let arguments = ["load", "\(server.address)/body", caFile, "\(random.next() % limit)"]
      do { _ = try ProcessTime.run("/proc/self/exe", arguments) } catch is ChildProcessError { faults += 1 }
    }
    print("exits: \(runs) programs that exit during transfers, seed \(seed): \(faults) ended with a fault")
    return faults == 0
  }

  /// What the child does: loads for some microseconds, and exits.
  static func load(_ address: String, caFile: String, microseconds: UInt32) -> Never {
    var configuration = CurlLoader.Configuration(maxConcurrent: 64, maxConcurrentPerHost: 64)
    configuration.tls.caFile = caFile
    let loader = CurlLoader(configuration)
    if let url = URL(string: address) {
      for _ in 0..<64 {
        Task.detached { while true { _ = try? await loader.data(for: LoadRequest(url: url)) } }
      }
    }
    usleep(microseconds)
    exit(0)
  }
}
