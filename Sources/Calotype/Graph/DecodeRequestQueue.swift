import CalotypeImaging
import CalotypeSupport

/// The sizes that are wanted of one original at the same time: whoever gets a turn to decode does it for all.
final class DecodeRequestQueue: Sendable {
  private let waiting = Lock([DecodeRequest]())

  /// Most sizes that are made in one turn.
  private static let most = 16

  /// Adds an order, to wait for a turn with.
  func add(_ order: DecodeRequest) {
    waiting.withLock { $0.append(order) }
  }

  /// Takes an order and those that can be decoded with it, as long as there is room for their pixels; empty if somebody else
  /// has taken it. Those who wait with one that was taken wait for it alone from now on.
  func take(_ order: DecodeRequest, memory: ImagePipeline.Memory) -> [DecodeRequest] {
    let taken = waiting.withLock { waiting -> [DecodeRequest] in
      guard waiting.contains(where: { $0 === order }) else { return [] }
      var taken = [order]
      for other in waiting where other !== order && order.sharesDecode(with: other) {
        // Whoever comes first must not wait for all.
        if taken.count == Self.most { break }
        guard let reservation = memory.tryReserve(other.byteCount, in: .decoded) else { continue }
        other.hold(reservation)
        taken.append(other)
      }
      waiting.removeAll { other in taken.contains { $0 === other } }
      return taken
    }
    for other in taken.dropFirst() { other.ticket.withdraw() }
    return taken
  }

  /// Nobody wants it any more.
  func remove(_ order: DecodeRequest) {
    waiting.withLock { $0.removeAll { $0 === order } }
  }
}

/// One size of an original, wanted by one job.
final class DecodeRequest: Sendable {
  /// What became of it.
  enum Outcome: Sendable {
    case image(Image)
    /// Who had taken it did not get to it.
    case retry
  }

  private struct State {
    var outcome: Outcome?
    /// Looks at the outcome, under the lock, when it goes on.
    var waiter: CheckedContinuation<Void, Never>?
    var reservation: MemoryReservation?
  }

  let thumbnail: Thumbnail?
  /// Everything else about the decode.
  let options: DecodeOptions
  /// Of those that can be made of the same decoded pixels; `nil` if it is alone.
  private let group: Int?
  let byteCount: Int
  let ticket = WorkQueue.Ticket()
  private let state = Lock(State())

  init(_ options: DecodeOptions, group: Int?, byteCount: Int) {
    thumbnail = options.thumbnail
    self.group = group
    self.options = options.without(\.thumbnail)
    self.byteCount = byteCount
  }

  func sharesDecode(with other: DecodeRequest) -> Bool {
    group != nil && group == other.group && options == other.options
  }

  /// Its place in the budget, taken by whoever decodes it.
  func hold(_ reservation: MemoryReservation) {
    state.withLock { $0.reservation = reservation }
  }

  var reservation: MemoryReservation? { state.withLock { $0.reservation } }

  func fulfil(_ outcome: Outcome) {
    let waiter = state.withLock { state in
      state.outcome = outcome
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// What became of it, once somebody has taken it.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  func outcome() async throws -> Outcome {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          if state.outcome != nil || Task.isCancelled { return true }
          state.waiter = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiter.take() }?.resume()
    }
    let outcome = state.withLock { $0.outcome }
    guard let outcome else { throw CancellationError() }
    return outcome
  }
}

extension DecodeOptions {
  fileprivate func without<Value>(_ field: WritableKeyPath<DecodeOptions, Value?>) -> DecodeOptions {
    var options = self
    options[keyPath: field] = nil
    return options
  }
}
