import CalotypeCaching
import CalotypeLoading
import FoundationEssentials

/// A lease, and the key that it is for.
struct NodeLease: Sendable {
  let lease: any FlightLease
  let key: CacheKey

  /// Ends the lease with a record that was stored.
  func end(with data: Data, _ metadata: RecordMetadata, at now: Date) async {
    await lease.end(
      with: CacheRecord(data: data, metadata: metadata, created: now, accessed: now), for: key)
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
