import CalotypeAdmission
import CalotypeCaching

extension ServerMetrics {
  /// The gauges of other parts of the server.
  struct Gauges: Sendable {
    let admission: AdmissionStatistics
    let memory: MemoryTier.Statistics
    let loads: Int
    let joined: Int
    let droppedLogLines: Int
    let tiers: TierFigures
  }

  /// All series as text.
  func text(namespace: String, _ gauges: Gauges) -> String {
    let now = snapshot
    func value(_ counter: Counter) -> Int { now.counters[counter] ?? 0 }
    var text = PrometheusText(namespace: namespace)
    // The series of imgproxy.
    text.counter("requests_total", "Requests.", value(.requests))
    text.counter(
      "status_codes_total", "Responses by status.",
      now.statuses.sorted { $0.key < $1.key }.map { ("status=\"\($0.key)\"", $0.value) })
    text.counter(
      "errors_total", "Failures by reason.",
      now.errors.sorted { $0.key < $1.key }.map { ("type=\"\($0.key)\"", $0.value) })
    text.histogram("request_duration_seconds", "Durations of requests.", [("", now.request)])
    text.histogram(
      "request_span_duration_seconds", "Durations of the parts of requests.",
      Span.allCases.map { ("span=\"\($0.rawValue)\"", now.spans[$0] ?? DurationHistogram()) })
    text.histogram(
      "image_duration_seconds", "Durations of requests for images that succeeded.",
      ImagePath.allCases.map { ("cache=\"\($0.rawValue)\"", now.images[$0] ?? DurationHistogram()) })
    let workers = gauges.admission.workers
    text.gauge("workers", "Workers.", Double(workers))
    text.gauge("requests_in_progress", "Requests in progress.", Double(now.requestsInProgress))
    text.gauge("images_in_progress", "Images in progress.", Double(now.imagesInProgress))
    text.gauge(
      "workers_utilization", "Busy workers in percent.",
      workers > 0 ? 100 * Double(gauges.admission.running) / Double(workers) : 0)
    text.counter(
      "cache_hits_total", "Results from caches.",
      [Counter.memoryHits, .diskHits, .redisHits, .bucketHits, .sharedHits].reduce(0) { $0 + value($1) })
    text.counter("cache_misses_total", "Results that were made.", value(.misses))
    // Our own.
    text.counter(
      "cache_hits_by_tier_total", "Results from each cache.",
      [
        ("tier=\"memory\"", value(.memoryHits)), ("tier=\"disk\"", value(.diskHits)),
        ("tier=\"redis\"", value(.redisHits)), ("tier=\"bucket\"", value(.bucketHits)),
        ("tier=\"node\"", value(.sharedHits)),
      ])
    text.counter(
      "cache_stale_hits_total", "Results that were sent while their source was asked.", value(.staleHits))
    text.counter("cache_evictions_total", "Results that made room in memory.", gauges.memory.evictions)
    text.gauge("cache_memory_bytes", "Bytes of results in memory.", Double(gauges.memory.bytes))
    text.counter("source_fetches_total", "Sources that were read.", value(.fetches))
    text.counter("source_loads_total", "Transfers of sources.", gauges.loads)
    text.counter("decodes_total", "Images that were decoded.", value(.decodes))
    text.counter("encodes_total", "Images that were encoded.", value(.encodes))
    text.counter(
      "confirmed_results_total", "Stale results whose source had not changed.", value(.confirmations))
    text.counter("coalesced_requests_total", "Requests that joined the work of another.", gauges.joined)
    text.counter("cancelled_requests_total", "Requests whose client left.", value(.cancelled))
    text.counter("fallback_images_total", "Images in place of others.", value(.fallbacks))
    text.counter(
      "log_lines_dropped_total", "Log lines that were lost because their reader was too slow.",
      gauges.droppedLogLines)
    admission(gauges.admission, &text)
    gauges.tiers.add(to: &text)
    text.gauge(
      "memory_budget_bytes", "Bytes that cached results and decoded images may take together.",
      Double(gauges.memory.byteLimit + gauges.admission.byteBudget))
    if let resident = ProcessMemory.residentBytes {
      text.gauge("process_resident_memory_bytes", "Bytes of the process in memory.", Double(resident))
    }
    return text.text
  }

  private func admission(_ admission: AdmissionStatistics, _ text: inout PrometheusText) {
    text.gauge("admission_waiting", "Jobs that wait for a worker.", Double(admission.waiting))
    text.gauge(
      "admission_standstill_seconds", "Time since a job was last started or ended; 0 without jobs.",
      PrometheusText.seconds(admission.standstill))
    text.gauge(
      "inflight_bytes", "Decoded bytes of running jobs, as predicted.", Double(admission.runningBytes))
    text.counter(
      "admission_rejected_total", "Jobs that were refused, by reason.",
      admission.counts.refused.sorted { $0.key.rawValue < $1.key.rawValue }.map {
        ("reason=\"\($0.key.rawValue)\"", $0.value)
      })
    text.counter(
      "admission_jobs_total", "Jobs that asked for a worker.", admission.counts.submitted)
    text.gauge(
      "cost_ratio", "Actual by predicted processor time, by formats.",
      admission.costRatios.sorted { $0.key < $1.key }.map { pair, ratio in
        ("input=\"\(pair.input)\",output=\"\(pair.output)\"", ratio.ratio)
      })
  }
}
