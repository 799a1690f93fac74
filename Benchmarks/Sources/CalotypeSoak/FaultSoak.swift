import BenchmarkHarness
import CalotypeLoading
import FoundationEssentials
import Synchronization

/// Downloads of which one in five is cancelled, reset, stalled or cut short, at random.
///
/// Each must end once, in the way that belongs to its kind, with the right bytes; and when all are over, nothing may be
/// left of them: no descriptor, no thread, no memory.
struct FaultSoak {
  let downloads: Int
  let seed: Int
  /// More than the loader carries out at a time, so that some are cancelled while they wait.
  private let concurrency = 64
  private let loaderConcurrency = 32
  /// Bytes that may be in use besides those after the warm-up.
  private let allowedGrowth = 512 << 10
  /// Bytes that the allocator may keep for itself: each thread has memory of its own, with holes in it.
  private let allowedHoles = 16 << 20

  init(downloads: Int, seed: Int) {
    self.downloads = downloads
    self.seed = seed
  }

  /// Returns whether all went well.
  func run() async throws -> Bool {
    let server = try ChildProcess("/proc/self/exe", arguments: ["serve"])
    let address = "http://127.0.0.1:\(try server.read())"
    let start = ContinuousClock.now

    // After a few, what the process has once and for all is there.
    let few = FaultRecord(plans(200, seed: seed &+ 1))
    await carryOut(few.plans[...], of: few, with: makeLoader(), from: address)
    let before = await ProcessFigures.settled(within: .seconds(10)) { _ in false }

    let record = FaultRecord(plans(downloads, seed: seed))
    let (warm, end) = await carryOutAll(of: record, from: address)
    let after = await ProcessFigures.settled(within: .seconds(20)) {
      $0.descriptors <= before.descriptors && $0.threads <= before.threads
    }
    if after.descriptors > before.descriptors { record.object("descriptors are left over") }
    if after.threads > before.threads { record.object("threads are left over") }
    if end.allocatedBytes > warm.allocatedBytes + allowedGrowth { record.object("memory is left over") }
    if end.residentBytes > warm.residentBytes + allowedHoles { record.object("resident memory has grown") }

    let objections = few.objections + record.objections
    for objection in objections.prefix(20) { print(objection) }
    let seconds = start.duration(to: .now) / .seconds(1)
    print(
      """
      faults: \(downloads) downloads, seed \(seed): \(record.summary)
      before the loader: \(before)
      with it, warm:     \(warm)
      with it, at last:  \(end)
      after the loader:  \(after)
      \(objections.count) objections, \(Int(seconds.rounded())) s
      """)
    return objections.isEmpty
  }

  private func plans(_ count: Int, seed: Int) -> [FaultPlan] {
    var random = SplitMix(seed: seed)
    return (0..<count).map { FaultPlan($0, using: &random) }
  }

  private func makeLoader() -> CurlLoader {
    CurlLoader(
      CurlLoader.Configuration(maxConcurrent: loaderConcurrency, maxConcurrentPerHost: loaderConcurrency))
  }

  /// All with one loader, which goes at the end; figures after what it keeps for later has grown, and at the end.
  private func carryOutAll(
    of record: FaultRecord, from address: String
  ) async -> (warm: ProcessFigures, end: ProcessFigures) {
    let loader = makeLoader()
    let warmUp = min(2_000, downloads / 5)
    await carryOut(record.plans[..<warmUp], of: record, with: loader, from: address)
    let warm = ProcessFigures.now
    await carryOut(record.plans[warmUp...], of: record, with: loader, from: address)
    return (warm, ProcessFigures.now)
  }

  private func carryOut(
    _ plans: ArraySlice<FaultPlan>, of record: FaultRecord, with loader: CurlLoader, from address: String
  ) async {
    let rest = Rest(plans)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<concurrency {
        group.addTask {
          while let plan = rest.next() {
            record.ended(plan, plan.objection(to: await result(of: plan, with: loader, from: address)))
          }
        }
      }
    }
    // Those that were cancelled are still being taken off the wire.
    for _ in 0..<1_000 where loader.statistics.active > 0 || loader.statistics.queued > 0 {
      try? await Task.sleep(for: .milliseconds(10))
    }
    let statistics = loader.statistics
    if statistics.active > 0 || statistics.queued > 0 { record.object("not all is over: \(statistics)") }
  }

  private func result(
    of plan: FaultPlan, with loader: CurlLoader, from address: String
  ) async -> Result<Data, any Error> {
    guard plan.kind == .cancelled else { return await download(plan, with: loader, from: address) }
    let task = Task { await download(plan, with: loader, from: address) }
    try? await Task.sleep(for: plan.delay)
    task.cancel()
    return await task.value
  }

  private func download(
    _ plan: FaultPlan, with loader: CurlLoader, from address: String
  ) async -> Result<Data, any Error> {
    guard let url = URL(string: address + plan.target) else { return .failure(WrongBytes()) }
    var request = LoadRequest(url: url)
    if plan.kind == .stalled { request.timeouts.idle = .milliseconds(300) }
    do {
      guard plan.isStreamed else { return .success(try await loader.data(for: request).0) }
      var data = Data()
      do {
        for try await chunk in try await loader.load(request).body { data.append(chunk) }
      } catch {
        // What came before the error was right too.
        throw plan.body.starts(with: data) ? error : WrongBytes()
      }
      return .success(data)
    } catch {
      return .failure(error)
    }
  }
}

private struct WrongBytes: Error {}

/// What is left to do, for several tasks.
private final class Rest: Sendable {
  private let plans: Mutex<ArraySlice<FaultPlan>>

  init(_ plans: ArraySlice<FaultPlan>) {
    self.plans = Mutex(plans)
  }

  func next() -> FaultPlan? { plans.withLock { $0.popFirst() } }
}
