package import CalotypeLoading
import CalotypeSupport
package import FoundationEssentials

/// Probes a bucket for all that Calotype does with one. It writes objects below `<prefix>/v1/probe/`, with random names, and
/// removes them, also when its task is cancelled.
package struct BucketCheck: Sendable {
  private let bucket: Bucket
  private let credentials: BucketCredentials
  private let connections: CurlLoader.Configuration
  private let limits: TierCheckLimits
  private let now: @Sendable () -> Date
  private let clock: any Clock<Duration>

  /// - Parameters:
  ///   - bucket: The bucket and the prefix.
  ///   - credentials: Where its keys come from.
  ///   - connections: Certificates and proxies.
  ///   - limits: The bounds.
  ///   - now: The wall clock, for signatures and the difference of clocks.
  ///   - clock: The clock of deadlines and measured times.
  package init(
    _ bucket: Bucket, credentials: BucketCredentials,
    connections: CurlLoader.Configuration = CurlLoader.Configuration(),
    limits: TierCheckLimits = TierCheckLimits(), now: @escaping @Sendable () -> Date = { Date.now },
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.bucket = bucket
    self.credentials = credentials
    self.connections = connections
    self.limits = limits
    self.now = now
    self.clock = clock
  }

  /// Runs all probes, one after another. After one that fails, those that need it are left out.
  ///
  /// - Parameter report: Gets the finding of each probe.
  package func run(_ report: @escaping (TierFinding) -> Void) async {
    let run = ProbeRun(limits, clock: clock, report: report)
    let credentials = credentials
    let found = Lock<BucketKeys?>(nil)
    let hasKeys = await run.perform("credentials") {
      do throws(BucketError) {
        let credentials = try await credentials.found()
        found.withLock { $0 = credentials.keys }
        return .ok(credentials.description)
      } catch {
        return .failed(error)
      }
    }
    guard hasKeys, let keys = found.withLock({ $0 }) else { return }
    let session = BucketProbes(client(keys), samples: limits.samples, clock: clock)
    await probe(session, run)
    if !session.keys.isEmpty { await run.cleanUp { await session.removeAll() } }
    await session.client.shutDown()
  }

  private func client(_ keys: BucketKeys) -> BucketClient {
    var requests = BucketLimits()
    // The probe has a deadline of its own.
    (requests.head, requests.bodyBase, requests.write) = (limits.probe, limits.probe, limits.probe)
    return BucketClient(
      bucket, credentials: CredentialStore(.keys(keys), now: now), loader: connections, limits: requests,
      now: now)
  }

  private func probe(_ session: BucketProbes, _ run: ProbeRun) async {
    let isAccepted = await run.perform("signature") { await session.signature() }
    if session.hasAnswer { await run.perform("clock") { session.clockDifference() } }
    guard isAccepted, await run.perform("put", { await session.put() }) else { return }
    if await run.perform("get", { await session.get() }) {
      await run.perform("range") { await session.range() }
      await run.perform("readAfterWrite") { await session.readAfterWrite() }
    }
    await run.perform("metadata") { await session.metadata() }
    await run.perform("ifNoneMatch") { await session.ifNoneMatch() }
    await run.perform("ifMatch") { await session.ifMatch() }
    await run.perform("list") { await session.list() }
    await run.perform("payloadHash") { await session.payloadHash() }
    await run.perform("readLatency") { await session.readLatency() }
    await run.perform("writeLatency") { await session.writeLatency() }
    await run.perform("delete") { await session.delete() }
  }
}

extension TierFinding.Outcome {
  /// A failure of a request.
  static func failed(_ error: BucketError, _ consequence: String? = nil) -> Self {
    .failed(error.description, consequence, code: error.code)
  }

  /// The refusal of a request that Calotype can do without; any other failure has failed.
  static func refused(_ error: BucketError, _ consequence: String) -> Self {
    guard case .refused(let status, _, _, _) = error, status == 501 || (400...499).contains(status),
      status != 408, status != 429
    else { return .failed(error, consequence) }
    return .cannot(error.description, consequence)
  }
}
