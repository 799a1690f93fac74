import Calotype
import CalotypeAdmission
import CalotypeImaging
import CalotypeResults
import CalotypeSettings
import FoundationEssentials
import HTTPTypes

/// Health, metrics and purges.
extension ImageServer {
  /// A GIF of one pixel.
  private static let canary =
    Data(base64Encoded: "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7") ?? Data()
  /// Reports whether requests should be sent here: not while the server ends, while its workers stall, or while it refuses
  /// work.
  func readiness() async -> ServedResponse {
    guard !isDraining else { return notReady("the server is shutting down") }
    let (pipeline, limit) = (parts.pipeline, canaryLimit)
    let isAlive = await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        guard let image = try? await pipeline.decode(Self.canary, priority: .veryHigh) else { return false }
        return (try? await pipeline.encode(image, as: .png, priority: .veryHigh)) != nil
      }
      group.addTask {
        try? await Task.sleep(for: limit)
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
    // Workers may be busy for longer with images that are being made.
    let statistics = parts.admission.statistics
    guard isAlive || statistics.running > 0 else { return notReady("the workers do not answer") }
    return ServedResponse(status: .ok, text: "ready\n")
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
      joined: work.statistics.joined)
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
      return failed(Failure(.internal, detail: "\(error)"), request, rules)
    }
  }
}
