import BenchmarkHarness
import CalotypeLoading
import FoundationEssentials
import Synchronization

/// Many runs of many transfers that share one HTTP/2 connection, each run with a fresh loader.
///
/// Looks for streams that stall: a run in which nothing is finished for ten seconds is given up and reported.
struct HTTP2Soak {
  let runs: Int
  let transfers: Int
  private let concurrency = 64
  private let byteCount = 50_000
  private let patience = Duration.seconds(10)

  init(runs: Int, transfers: Int) {
    self.runs = runs
    self.transfers = transfers
  }

  /// What came of one run.
  private final class Progress: Sendable {
    let started = Atomic(0)
    let finished = Atomic(0)
    let stalled = Atomic(false)
    let failures = Mutex<[String]>([])
  }

  /// Returns whether all went well.
  func run() async throws -> Bool {
    let server = try LocalServer.nghttpd()
    try server.serve("body", byteCount: byteCount)
    var configuration = CurlLoader.Configuration(
      maxConcurrent: concurrency, maxConcurrentPerHost: concurrency)
    configuration.tls.caFile = server.caFile
    let start = ContinuousClock.now
    var finished = 0
    var stalls = 0
    var failures = 0
    for number in 1...runs {
      let progress = Progress()
      let loader = CurlLoader(configuration)
      await run(number, with: loader, from: server, progress)
      finished += progress.finished.load(ordering: .relaxed)
      let failed = progress.failures.withLock { $0 }
      if progress.stalled.load(ordering: .relaxed) {
        stalls += 1
      } else {
        for failure in failed.prefix(5) { print("run \(number): \(failure)") }
        failures += failed.count
      }
    }
    let seconds = start.duration(to: .now) / .seconds(1)
    print(
      """
      http2: \(runs) runs of \(transfers) transfers, \(concurrency) at a time: \(finished) transfers finished, \
      \(stalls) stalls, \(failures) failures, \(Int(seconds.rounded())) s
      """)
    return stalls == 0 && failures == 0
  }

  private func run(_ number: Int, with loader: CurlLoader, from server: LocalServer, _ progress: Progress)
    async
  {
    let watch = Task {
      var seen = -1
      var changed = ContinuousClock.now
      while true {
        try await Task.sleep(for: .milliseconds(200))
        let finished = progress.finished.load(ordering: .relaxed)
        if finished != seen { (seen, changed) = (finished, .now) }
        guard changed.duration(to: .now) >= patience else { continue }
        progress.stalled.store(true, ordering: .relaxed)
        print("run \(number) stalls after \(finished) of \(transfers) transfers: \(loader.statistics)")
        // Ends the rest, so that the next run can begin.
        return await loader.shutDown()
      }
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<concurrency { group.addTask { await transfer(with: loader, from: server, progress) } }
    }
    watch.cancel()
    _ = await watch.result
  }

  private func transfer(with loader: CurlLoader, from server: LocalServer, _ progress: Progress) async {
    let expected = LocalServer.bytes(byteCount)
    while true {
      let number = progress.started.add(1, ordering: .relaxed).oldValue
      guard number < transfers, let url = URL(string: "\(server.address)/body?\(number)") else { return }
      do {
        let body = try await loader.data(for: LoadRequest(url: url)).0
        if body != expected { progress.failures.withLock { $0.append("transfer \(number): other bytes") } }
        progress.finished.add(1, ordering: .relaxed)
      } catch {
        progress.failures.withLock { $0.append("transfer \(number): \(error)") }
      }
    }
  }
}
