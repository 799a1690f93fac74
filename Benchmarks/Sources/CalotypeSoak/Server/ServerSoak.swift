import Calotype
import CalotypeTestKit
import FoundationEssentials
import Glibc

/// A pipeline with small limits, as a server has one, under everything that the world can do to it: servers that are slow,
/// broken or hostile, callers who leave, come by the thousand or stop reading, and a disk that is full or stands still.
///
/// Whatever happens, bounds hold at every moment, every caller gets one ending in time, no picture is a wrong one, an
/// ordinary picture comes soon, and in the end nothing is left over.
struct ServerSoak: Sendable {
  let seconds: Int
  let seed: Int
  /// Callers that come at once.
  let burst: Int
  /// The longest that 99 of 100 ordinary pictures may take, and statistics.
  let canary: Duration
  /// Whether the result is an object of JSON.
  let isJSON: Bool
  /// A Boolean value that indicates whether images are decoded in other processes.
  let isSandboxed: Bool
  /// The group to run in, made by ``SoakGroup``; `nil` for none.
  let group: String?

  /// How long it may take to end after the load: the longest that callers may wait, and what is looked at afterwards.
  private static let windingUp = SoakBounds.patience + SoakBounds.endingSlack + .seconds(60)

  /// What limits the memory of the process.
  var confinement: String { group.map { SoakGroup.name(of: $0) } ?? "nothing" }

  /// Returns whether all went well.
  func run() async throws -> Bool {
    // Before the group is entered: its memory is not the server's.
    let origin = try SoakOrigin()
    if let group { try SoakGroup.enter(group) }
    // Once, so that what the process has once and for all is there.
    let record = SoakRecord()
    do {
      let disk = try SoakDisk()
      let caller = try makeCaller(origin, record, disk)
      await warmUp(caller)
      await caller.pipeline.shutDown(within: .seconds(1))
    }
    let before = await ProcessFigures.settled(within: .seconds(2)) { _ in false }
    let bounds = SoakBounds(baseline: .now, canary: canary)
    return try await run(origin, bounds, before)
  }

  private func run(_ origin: SoakOrigin, _ bounds: SoakBounds, _ before: ProcessFigures) async throws -> Bool
  {
    let record = SoakRecord()
    let (soak, isTerminal) = (self, isatty(STDERR_FILENO) == 1)
    let monitor = SoakMonitor(
      bounds, record, limit: .seconds(seconds) + Self.windingUp,
      progress: { monitor in if isTerminal { soak.show(record, monitor, bounds) } },
      giveUp: { monitor in
        soak.say(record, monitor, bounds)
        // Without anything that would wait for what does not end.
        _exit(1)
      })
    try await load(origin, record, monitor, bounds)
    let after = await ProcessFigures.settled(within: .seconds(20)) {
      $0.descriptors <= before.descriptors && $0.threads <= before.threads + 2
    }
    record.check("descriptors left over", after.descriptors, bound: before.descriptors)
    // One looks on, one had the disk in hand, and one gives memory back: there is one of it in a process.
    record.check("threads left over", after.threads, bound: before.threads + 3)
    for (phase, latencies) in record.canaries {
      let latency = SoakRecord.percentile99(latencies)
      if latency > canary {
        record.breach(
          "canary, p99 in milliseconds", latency / .milliseconds(1), bound: canary / .milliseconds(1),
          detail: "of \(latencies.count)", in: phase)
      }
    }
    monitor.stop()
    say(record, monitor, bounds)
    return record.breaches.isEmpty
  }

  /// Everything with the pipeline in it, which goes at the end.
  private func load(
    _ origin: SoakOrigin, _ record: SoakRecord, _ monitor: SoakMonitor, _ bounds: SoakBounds
  ) async throws {
    let disk = try SoakDisk()
    let caller = try makeCaller(origin, record, disk)
    let watching = Task { await monitor.watch(caller.pipeline) }
    await warmUp(caller)
    // All that can happen happens at least once, but for runs that are shorter than that.
    let phaseLength = Duration.milliseconds(
      min(4_000, max(1_000, seconds * 1_000 / SoakDisk.phases.count)))
    await SoakLoad(
      caller: caller, disk: disk, seed: seed, burst: burst, end: .now + .seconds(seconds),
      phaseLength: phaseLength
    ).run()
    await lookForRemains(caller.pipeline, record, bounds)
    watching.cancel()
    await watching.value
    await caller.pipeline.shutDown(within: .seconds(5))
  }

  private func makeCaller(_ origin: SoakOrigin, _ record: SoakRecord, _ disk: SoakDisk) throws -> SoakCaller {
    var curl = CurlLoader.Configuration(maxConcurrent: SoakBounds.transfers, maxConcurrentPerHost: 12)
    curl.highWater = SoakBounds.highWater
    let loader = LoaderGroup([BytesLoader(), HTTPLoader(transport: CurlLoader(curl))])
    var configuration = ImagePipeline.Configuration(
      loader: loader, memoryCache: MemoryCache(byteLimit: SoakBounds.memoryCache), diskCache: disk.cache,
      decodeLimits: SoakBounds.decodeLimits)
    if isSandboxed { configuration.decoding = .sandboxed(workers: 2) }
    configuration.limits = SoakBounds.limits
    configuration.memory = ImagePipeline.Memory(byteLimit: SoakBounds.memory)
    return SoakCaller(
      pipeline: ImagePipeline(configuration), origin: origin, record: record,
      uploads: try (0..<SoakPlan.uploads).map { try SoakPicture($0).encoded() })
  }

  private func warmUp(_ caller: SoakCaller) async {
    for index in 0..<24 {
      let plan = SoakPlan(.ordinary, number: (1 << 31) + index, side: 320, deadline: .seconds(30))
      await caller.call(plan)
    }
    await caller.pipeline.flush()
  }

  /// Once nobody waits, nothing is being done; and memory is given back.
  private func lookForRemains(
    _ pipeline: ImagePipeline, _ record: SoakRecord, _ bounds: SoakBounds
  ) async {
    var statistics = await SoakMonitor.statistics(of: pipeline)
    for _ in 0..<100 where SoakBounds.statistics.contains(where: { $0.value(statistics) > 0 }) {
      try? await Task.sleep(for: .milliseconds(100))
      statistics = await SoakMonitor.statistics(of: pipeline)
    }
    for (name, _, value) in SoakBounds.statistics {
      record.check("\(name) left over", value(statistics), bound: 0)
    }
    try? await Task.sleep(for: .seconds(10))
    ProcessAllocator.trim()
    let cached = pipeline.cache.memoryStatistics?.bytes ?? 0
    record.check(
      "resident bytes when idle", ProcessGauges.now.residentBytes,
      bound: bounds.baseline.residentBytes + cached + SoakBounds.idleAllowance)
  }

  // MARK: Output

  private func say(_ record: SoakRecord, _ monitor: SoakMonitor, _ bounds: SoakBounds) {
    let report = SoakReport(self, record, monitor, bounds)
    print(isJSON ? report.json : report.text)
    fflush(nil)
  }

  private func show(_ record: SoakRecord, _ monitor: SoakMonitor, _ bounds: SoakBounds) {
    let canary = SoakRecord.percentile99(record.canaries.values.flatMap { $0 })
    let line = [
      "\(Int(record.elapsed / .seconds(1))) of \(seconds) s", "disk \(record.phase.rawValue)",
      "\(ProcessGauges.now.residentBytes >> 20) of \(monitor.residentBound >> 20) MiB",
      "\(record.requests.values.reduce(0, +)) requests", "\(record.waitingCallers) waiting",
      "canary \(Int(canary / .milliseconds(1))) ms", "\(record.breaches.count) breaches",
    ].joined(separator: ", ")
    let bytes = Array("\r\u{1B}[K\(line)".utf8)
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
