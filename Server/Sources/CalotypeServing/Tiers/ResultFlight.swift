import CalotypeCaching
import CalotypeResults
import CalotypeTiers
import FoundationEssentials
import Synchronization

/// The part of this node in the making of one result, of which nodes with a common cache do one at a time.
final class ResultFlight: Sendable {
  private let parts: ServerParts
  private let order: ImageOrder
  private let start: Int
  private let position: Int?
  private let lease = Mutex<(any FlightLease)?>(nil)

  /// - Parameters:
  ///   - parts: The parts of the server.
  ///   - order: The request.
  ///   - start: The generation of purges in which the work began.
  ///   - position: The position of the log of purges then.
  init(_ parts: ServerParts, _ order: ImageOrder, since start: Int, position: Int?) {
    (self.parts, self.order, self.start, self.position) = (parts, order, start, position)
  }

  /// Begins the work, or waits for the node that does it. Failures of other nodes are not repeated: their source fails here,
  /// too, and without another transfer.
  ///
  /// - Returns: The result of another node; `nil` when it is to be made here.
  func begin(waits: Bool, within limit: Duration) async -> StoredResult? {
    guard parts.store.isShared, let flights = parts.tiers.flights else { return nil }
    let identity = order.identity
    switch await flights.begin(identity.key, waits: waits, timeout: limit) {
    case .lead(let given):
      lease.withLock { $0 = given }
      return nil
    case .outcome(.value(let bytes)):
      return CacheRecord(encoded: bytes, for: identity.key).flatMap {
        parts.store.keep($0, identity, since: start)
      }
    case .outcome(.stored):
      for wait in FlightOutcome.readPauses {
        try? await Task.sleep(for: wait)
        if let result = await parts.store.readShared(identity)?.result { return result }
      }
      return nil
    case .outcome, .busy, .alone: return nil
    }
  }

  /// Tells the others of a result, which was stored.
  func end(with result: StoredResult) async {
    guard let lease = lease.withLock({ $0.take() }) else { return }
    guard result.isStorable, !result.isFallback else { return await lease.end(.isPrivate) }
    let record = CacheRecord(
      data: result.data, metadata: parts.store.metadata(of: result, order.identity, position: position),
      created: Date.now, accessed: Date.now)
    await lease.end(with: record, for: order.identity.key, isShared: parts.store.isShared(result))
  }

  /// Tells the others of a failure; work that was cancelled is left to them.
  func end(with error: any Error, isCancelled: Bool) async {
    guard let lease = lease.withLock({ $0.take() }), !(error is CancellationError), !isCancelled else {
      return
    }
    await lease.end(.failed(code: Failure(error).reason.rawValue))
  }
}
