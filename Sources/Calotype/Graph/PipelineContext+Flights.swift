import CalotypeCaching
import CalotypeLoading
import FoundationEssentials

extension PipelineContext {
  /// Joins the work of all nodes for a value, or starts it.
  ///
  /// - Parameters:
  ///   - key: The key of the value.
  ///   - plan: The request.
  ///   - policy: The cache policy of the job.
  ///   - waits: Whether to wait for another node.
  func flight(
    for key: CacheKey, _ plan: ResolvedRequest, policy: ImageRequest.CachePolicy, waits: Bool
  ) async -> NodeFlight {
    guard let flights = configuration.nodes.flights, plan.isShared(policy) else { return .lead(nil) }
    let flight = await flights.begin(key, waits: waits, timeout: plan.request.timeouts.total)
    switch flight {
    case .lead(let lease): return .lead(NodeLease(lease: lease, key: key))
    case .busy: return .busy
    case .alone, .outcome(.isPrivate): return .lead(nil)
    case .outcome(.stored): return .stored
    case .outcome(.value(let bytes)):
      guard let record = CacheRecord(encoded: bytes, for: key),
        verdict(on: key, record.metadata, for: plan.request.tags) == .valid
      else { return .lead(nil) }
      return .record(record)
    case .outcome(.absent(let status)):
      guard let url = plan.request.source.url else { return .lead(nil) }
      return .failed(LoadingError.httpStatus(url, status: status, headers: [:]))
    case .outcome(.failed(let code)):
      return .failed(LoadingError.recentlyFailed(plan.request.source, code: code, retryAfter: .seconds(1)))
    }
  }
}

extension ResolvedRequest {
  /// Returns whether other nodes can use the result of a request.
  fileprivate func isShared(_ policy: ImageRequest.CachePolicy) -> Bool {
    guard policy.readsCaches, policy.writesCaches, !request.identifiesUser,
      let url = request.source.url
    else { return false }
    // Each node has its own files.
    return !url.isFileURL && url.scheme?.lowercased() != "data"
  }
}
