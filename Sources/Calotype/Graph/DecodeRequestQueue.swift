import CalotypeImaging
import CalotypeSupport

/// The sizes of one original that are wanted at the same time: the first job with a turn to decode makes
/// all of them.
final class DecodeRequestQueue: Sendable {
  private let waiting = Lock([DecodeRequest]())

  /// The maximum number of sizes made in one turn.
  private static let most = 16

  /// Adds a request, to wait for a turn with.
  func add(_ order: DecodeRequest) {
    waiting.withLock { $0.append(order) }
  }

  /// Takes a request and those that can be decoded with it, as far as their pixels fit in memory; returns
  /// none if another job has taken it. The jobs of taken requests then wait only for their outcome.
  func take(_ order: DecodeRequest, memory: ImagePipeline.Memory) -> [DecodeRequest] {
    let taken = waiting.withLock { waiting -> [DecodeRequest] in
      guard waiting.contains(where: { $0 === order }) else { return [] }
      var taken = [order]
      for other in waiting where other !== order && order.sharesDecode(with: other) {
        // The first job must not wait for all sizes.
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

  /// Removes a request that is no longer wanted.
  func remove(_ order: DecodeRequest) {
    waiting.withLock { $0.removeAll { $0 === order } }
  }
}

/// A request of one job for one size of an original.
final class DecodeRequest: Sendable {
  /// The outcome of a request.
  enum Outcome: Sendable {
    case image(Image)
    /// The job that took the request did not complete it.
    case retry
  }

  let thumbnail: Thumbnail?
  /// The decode options without the thumbnail.
  let options: DecodeOptions
  /// The group of requests that can be made from the same decoded pixels; `nil` for a request that shares
  /// no decode.
  private let group: Int?
  let byteCount: Int
  let ticket = WorkQueue.Ticket()
  private let held = Lock<MemoryReservation?>(nil)
  /// The outcome; `nil` when the waiting task is cancelled.
  private let answer = Waiter<Outcome?>()

  init(_ options: DecodeOptions, group: Int?, byteCount: Int) {
    thumbnail = options.thumbnail
    self.group = group
    self.options = options.without(\.thumbnail)
    self.byteCount = byteCount
  }

  func sharesDecode(with other: DecodeRequest) -> Bool {
    group != nil && group == other.group && options == other.options
  }

  /// Attaches the memory that was reserved by the decoding job.
  func hold(_ reservation: MemoryReservation) {
    held.withLock { $0 = reservation }
  }

  var reservation: MemoryReservation? { held.withLock { $0 } }

  func fulfil(_ outcome: Outcome) { answer.resolve(outcome) }

  /// Waits for the outcome, once another job has taken the request. Call it once.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  func outcome() async throws -> Outcome {
    guard let outcome = await answer.value(onCancel: nil) else { throw CancellationError() }
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
