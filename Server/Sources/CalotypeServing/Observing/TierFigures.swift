import CalotypeCaching
import CalotypeTiers

/// The activity of all caches of a server, of its leases, and of the log of purges, as series of Prometheus.
struct TierFigures: Sendable {
  /// The content of a cache.
  enum Content: String, Sendable {
    case results, sources
  }

  /// The activity of one cache.
  struct Cache: Sendable {
    let tier: CacheTier
    let content: Content
    var reads: [(outcome: String, count: Int)]
    var writes: [(outcome: String, count: Int)] = []
    var bytesRead: Int?
    var bytesWritten: Int?
    var queued: (count: Int, bytes: Int)?
    /// Whether it is left alone, because it has failed; `nil` for one that cannot fail.
    var isOpen: Bool?

    /// The labels of its series.
    var labels: String { "tier=\"\(tier.rawValue)\",content=\"\(content.rawValue)\"" }
  }

  /// The state of the log of purges.
  struct Purges: Sendable {
    let position: Int
    /// Whether it was read since the start.
    let isCurrent: Bool
    /// The time since it was read, or since the start.
    let lag: Duration
    let failedReads: Int
  }

  /// All caches, the fastest first.
  var caches: [Cache] = []
  /// The durations of reads of results.
  var readTimes: [CacheTier: DurationHistogram] = [:]
  var leases: RedisCoordinator.Statistics?
  var purges: Purges?

  /// Adds the series.
  func add(to text: inout PrometheusText) {
    text.counter("tier_reads_total", "Reads of each cache by outcome.", labelled(\.reads))
    text.counter("tier_writes_total", "Writes to each cache by outcome.", labelled(\.writes))
    text.counter(
      "tier_read_bytes_total", "Bytes of records that were read.",
      caches.compactMap { cache in cache.bytesRead.map { (cache.labels, $0) } })
    text.counter(
      "tier_written_bytes_total", "Bytes of records that were written.",
      caches.compactMap { cache in cache.bytesWritten.map { (cache.labels, $0) } })
    text.gauge(
      "tier_queue_length", "Writes that wait or are in progress.",
      caches.compactMap { cache in cache.queued.map { (cache.labels, Double($0.count)) } })
    text.gauge(
      "tier_queue_bytes", "Bytes of these writes.",
      caches.compactMap { cache in cache.queued.map { (cache.labels, Double($0.bytes)) } })
    text.gauge(
      "tier_breaker_open", "1 while a cache is left alone, because it has failed.",
      caches.compactMap { cache in cache.isOpen.map { (cache.labels, $0 ? 1 : 0) } })
    text.histogram(
      "tier_read_duration_seconds", "Durations of reads of results, misses and failures included.",
      CacheTier.allCases.compactMap { tier in
        readTimes[tier].map { ("tier=\"\(tier.rawValue)\"", $0) }
      })
    addLeases(to: &text)
    addPurges(to: &text)
  }

  private func labelled(
    _ counts: (Cache) -> [(outcome: String, count: Int)]
  ) -> [(labels: String, value: Int)] {
    caches.flatMap { cache in counts(cache).map { ("\(cache.labels),outcome=\"\($0.outcome)\"", $0.count) } }
  }

  private func addLeases(to text: inout PrometheusText) {
    func values(_ choose: (RedisCoordinator.Statistics) -> Int) -> [(labels: String, value: Double)] {
      leases.map { [("", Double(choose($0)))] } ?? []
    }
    text.counter(
      "leases_total", "Leases and their outcomes: hedged ones are granted, too.",
      leases.map { leases in
        [
          ("outcome=\"granted\"", leases.leads), ("outcome=\"hedged\"", leases.hedges),
          ("outcome=\"waited\"", leases.waits), ("outcome=\"told\"", leases.outcomes),
          ("outcome=\"busy\"", leases.busy), ("outcome=\"alone\"", leases.alone),
          ("outcome=\"expired\"", leases.lost),
        ]
      } ?? [])
    text.gauge("leases_held", "Leases that this node holds.", values(\.held))
    text.gauge("leases_waiting", "Requests that wait for other nodes.", values(\.waiting))
  }

  private func addPurges(to text: inout PrometheusText) {
    func values(_ choose: (Purges) -> Double) -> [(labels: String, value: Double)] {
      purges.map { [("", choose($0))] } ?? []
    }
    text.gauge(
      "purge_log_position", "The number of the last purge that was applied.",
      values { Double(max(0, $0.position)) })
    text.gauge(
      "purge_log_current", "1 if the log of purges was read since the start.", values { $0.isCurrent ? 1 : 0 }
    )
    text.gauge(
      "purge_log_lag_seconds", "Time since the log of purges was read, or since the start.",
      values { PrometheusText.seconds($0.lag) })
    text.counter(
      "purge_log_failures_total", "Reads of the log of purges that failed.",
      purges.map { [("", $0.failedReads)] } ?? [])
  }
}

extension TierFigures.Cache {
  init(_ statistics: MemoryTier.Statistics) {
    self.init(
      tier: .memory, content: .results, reads: [("hit", statistics.hits), ("miss", statistics.misses)],
      writes: [("rejected", statistics.rejections)])
  }

  init(_ statistics: DiskCache.Statistics, of content: TierFigures.Content) {
    self.init(
      tier: .disk, content: content,
      reads: [("hit", statistics.hits), ("miss", statistics.misses), ("failed", statistics.stalledReads)],
      writes: [
        ("stored", statistics.stores), ("shed", statistics.refused), ("failed", statistics.failures),
      ],
      isOpen: statistics.isCircuitOpen || statistics.isReadCircuitOpen)
    queued = (0, statistics.stagedBytes)
  }

  init(_ statistics: RedisCache.Statistics, isConnected: Bool) {
    self.init(
      tier: .redis, content: .results,
      reads: [
        ("hit", statistics.hits), ("miss", statistics.misses), ("failed", statistics.failedReads),
        ("skipped", statistics.skippedReads),
      ],
      writes: [
        ("stored", statistics.stored), ("shed", statistics.dropped), ("failed", statistics.failedWrites),
        ("unshared", statistics.unshared),
      ], bytesRead: statistics.bytesRead, bytesWritten: statistics.bytesWritten, isOpen: !isConnected)
  }

  init(_ statistics: BucketCache.Statistics, of content: TierFigures.Content) {
    self.init(
      tier: .bucket, content: content,
      reads: [
        ("hit", statistics.hits), ("miss", statistics.misses), ("failed", statistics.failedReads),
        ("skipped", statistics.skippedReads),
      ],
      writes: [
        ("stored", statistics.stored), ("shed", statistics.dropped), ("failed", statistics.failedWrites),
        ("unshared", statistics.unshared), ("cheap", statistics.cheap), ("renewed", statistics.renewed),
      ], bytesRead: statistics.bytesRead, bytesWritten: statistics.bytesWritten,
      queued: (statistics.queued, statistics.queuedBytes), isOpen: statistics.breaker != .closed)
  }
}
