import Calotype
import CalotypeAdmission
import CalotypeImaging
import CalotypeResults
import CalotypeSettings
import FoundationEssentials
import HTTPTypes
import Synchronization

/// Health, metrics and purges.
extension ImageServer {
  /// Reports whether requests should be sent here: ``Readiness`` says when.
  func readiness() async -> ServedResponse {
    let before = misses.withLock { $0.misses }
    async let isPipelineAlive = answers(.pipeline, within: canaryLimit)
    async let isDiskWritable = answers(.disk, within: diskLimit)
    let admission = parts.admission.statistics
    let isAlive = await isPipelineAlive
    let count = misses.withLock { count in
      count.end(isAlive: isAlive, before: before)
      return count.misses
    }
    let readiness = Readiness(
      isDraining: isDraining, misses: count, isDiskWritable: await isDiskWritable,
      standstill: admission.standstill, waiting: admission.waiting, running: admission.running)
    if let fault = readiness.fault { return notReady(fault) }
    // They cost work, not images: requests are to be sent here nevertheless.
    let degraded = parts.tiers.faults
    let text = degraded.isEmpty ? "" : "degraded: \(degraded.joined(separator: ", "))\n"
    return ServedResponse(status: .ok, text: "ready\n" + text)
  }

  /// Returns whether a part of the server does its work within a time. Requests at the same time share the answer.
  private func answers(_ probe: Probe, within limit: Duration) async -> Bool {
    let (parts, probes) = (parts, probes)
    return await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        (try? await probes.value(for: probe) { await probe.succeeds(with: parts.pipeline, parts.store) })
          ?? false
      }
      group.addTask {
        try? await Task.sleep(for: limit)
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }

  private func notReady(_ reason: String) -> ServedResponse {
    var response = ServedResponse(status: .serviceUnavailable, text: reason + "\n")
    response.fields[.cacheControl] = "no-store"
    return response
  }

  /// The metrics in the text format of Prometheus, for a port of their own.
  public var metricsResponse: ServedResponse { metricsPage(rules) }

  /// The metrics in the text format of Prometheus.
  func metricsPage(_ rules: ServingRules) -> ServedResponse {
    let statistics = parts.pipeline.statistics
    let gauges = ServerMetrics.Gauges(
      admission: parts.admission.statistics, memory: parts.store.memoryStatistics, loads: statistics.loads,
      joined: work.statistics.joined, droppedLogLines: droppedLogLines(),
      tiers: parts.tierFigures)
    let text = metrics.text(namespace: rules.settings.metrics.prometheusNamespace, gauges)
    return ServedResponse(status: .ok, text: text, type: "text/plain; version=0.0.4; charset=utf-8")
  }

  /// Removes results.
  func purge(_ request: HTTPRequest, _ rules: ServingRules) async -> ServedResponse {
    guard let selection = PurgeQuery.selection(in: request.path ?? "") else {
      return ServedResponse(
        status: .badRequest,
        text: "one of source, prefix, tag, identity and all is needed, percent-encoded\n")
    }
    do {
      let count = try await parts.store.purge(selection)
      try await fetcher.forget(selection)
      return ServedResponse(status: .ok, text: "{\"removed\":\(count)}\n", type: "application/json")
    } catch {
      // The purge of a log that cannot be reached is to be asked for again.
      return failed(Failure(error), request, rules)
    }
  }
}
