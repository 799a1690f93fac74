import CalotypeCaching
import CalotypeLoading
import FoundationEssentials

/// The part of this node in the work for one value.
enum NodeFlight: Sendable {
  /// The value is made here; the lease, if there is coordination, is ended afterwards.
  case lead(NodeLease?)
  /// The value may be in the shared cache by now.
  case stored
  /// The record of the value.
  case record(CacheRecord)
  /// Another node failed, with this error.
  case failed(any Error & Sendable)
  /// Another node is at work, and this one does not wait.
  case busy
}

/// A lease, and the key that it is for.
struct NodeLease: Sendable {
  let lease: any FlightLease
  let key: CacheKey

  /// Records up to this size are handed to waiting nodes directly.
  static let valueLimit = 64 << 10

  /// Ends the lease with a record that was stored.
  func end(with data: Data, _ metadata: RecordMetadata, at now: Date) async {
    if data.count <= Self.valueLimit,
      let record = try? PortableRecord.encode(data, metadata: metadata, for: key, created: now)
    {
      await lease.end(.value(record))
    } else {
      await lease.end(.stored)
    }
  }

  /// Ends the lease with the failure of the work. Work that was cancelled says nothing to others: the lease is given up.
  func end(with error: any Error) async {
    switch error {
    case LoadingError.httpStatus(_, let status, _, _) where status == 404 || status == 410:
      await lease.end(.absent(status: status))
    case is CancellationError: break
    default: await lease.end(.failed(code: PipelineContext.code(of: error)))
    }
  }
}

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
      guard let record = PortableRecord.decode(bytes, for: key), verdict(on: key, record.metadata) == .valid
      else { return .lead(nil) }
      return .record(record)
    case .outcome(.absent(let status)):
      guard let url = plan.request.source.url else { return .lead(nil) }
      return .failed(LoadingError.httpStatus(url, status: status, headers: [:]))
    case .outcome(.failed(let code)):
      return .failed(LoadingError.recentlyFailed(plan.request.source, code: code, retryAfter: .seconds(1)))
    }
  }

  /// The times between attempts to read a value that another node has stored: a shared cache may lag behind.
  static let rereads: [Duration] = [.zero, .milliseconds(20), .milliseconds(40), .milliseconds(80)]
}

extension ResolvedRequest {
  /// Returns whether other nodes can use the result of a request.
  fileprivate func isShared(_ policy: ImageRequest.CachePolicy) -> Bool {
    guard policy.readsCaches, policy.writesCaches, !request.identifiesUser,
      let scheme = request.source.url?.scheme
    else { return false }
    return scheme == "http" || scheme == "https"
  }
}
