import CCurl
import CalotypeSupport
import FoundationEssentials

/// What consumers and the loader's thread share: an inbox, and the figures.
final class CurlCore: Sendable {
  /// A wish for the loader's thread.
  enum Message: Sendable {
    case add(Transfer)
    case cancel(Transfer)
    case resume(Transfer)
    /// Answered when everything posted before has been carried out.
    case barrier(CheckedContinuation<Void, Never>)
  }

  /// What the thread takes out in one go.
  struct Batch: Sendable {
    var messages: [Message]
    var closing: Bool
  }

  private struct Inbox {
    var messages: [Message] = []
    /// Transfers that were submitted and not started.
    var waiting = 0
    /// Transfers that were submitted and are not over: what is bounded.
    var outstanding = 0
    /// The thread will look again before it sleeps, or has been woken.
    var woken = false
    var closing = false
    /// Set by the thread as long as it lives. Guarded by the lock, so that nobody wakes a multi handle that
    /// is being freed.
    var multi: UnsafeMutableRawPointer?
    var ended = false
  }

  let configuration: CurlLoader.Configuration
  private let inbox = Lock(Inbox())
  private let figures = Lock(CurlLoader.Statistics())

  init(_ configuration: CurlLoader.Configuration) {
    self.configuration = configuration
  }

  /// The figures as of the last turn of the loop.
  var statistics: CurlLoader.Statistics {
    var result = figures.withLock { $0 }
    result.queued = inbox.withLock { $0.waiting }
    return result
  }

  /// Queues a transfer; the error to fail it with if that cannot be.
  func submit(_ transfer: Transfer) -> LoadingError? {
    let limit = max(0, configuration.maxQueued) + max(1, configuration.maxConcurrent)
    return inbox.withLock { inbox -> LoadingError? in
      if inbox.closing || inbox.ended { return .loaderClosed(transfer.url) }
      // Those that can start at once pass through the inbox too, hence the sum.
      if inbox.outstanding >= limit { return .queueFull(transfer.url, limit: configuration.maxQueued) }
      inbox.waiting += 1
      inbox.outstanding += 1
      Self.append(.add(transfer), to: &inbox)
      return nil
    }
  }

  func post(_ message: Message) {
    let refused = inbox.withLock { inbox -> Bool in
      if inbox.ended { return true }
      Self.append(message, to: &inbox)
      return false
    }
    if refused, case .barrier(let continuation) = message { continuation.resume() }
  }

  /// Asks the thread to end.
  func close() {
    inbox.withLock { inbox in
      inbox.closing = true
      Self.wake(&inbox)
    }
  }

  private static func append(_ message: Message, to inbox: inout Inbox) {
    inbox.messages.append(message)
    wake(&inbox)
  }

  private static func wake(_ inbox: inout Inbox) {
    if inbox.woken { return }
    inbox.woken = true
    if let multi = inbox.multi { curl_multi_wakeup(multi) }
  }

  // MARK: Loader's thread

  func began(multi: UInt) {
    Self.keepFreedMemory()
    inbox.withLock { $0.multi = UnsafeMutableRawPointer(bitPattern: multi) }
  }

  /// Lets the C library's allocator keep a few MiB that were freed, as it does in any program that once freed a block
  /// of that size: the limits grow with the largest one.
  ///
  /// At first they are 128 KiB, which every transfer frees and takes anew. Each would get pages that are fresh from the
  /// system, and those cost more than what is done with them.
  private static func keepFreedMemory() {
    UnsafeMutableRawPointer.allocate(byteCount: 4 << 20, alignment: 16).deallocate()
  }

  func takeMessages() -> Batch {
    inbox.withLock { inbox in
      let batch = Batch(messages: inbox.messages, closing: inbox.closing)
      inbox.messages = []
      inbox.woken = false
      return batch
    }
  }

  /// Whether something came in since ``takeMessages()``.
  var hasMessages: Bool { inbox.withLock { $0.woken } }

  /// A transfer left the queue, to run or for good.
  func leftQueue(forGood: Bool) {
    inbox.withLock { inbox in
      inbox.waiting -= 1
      if forGood { inbox.outstanding -= 1 }
    }
  }

  /// A running transfer is over.
  func finished() {
    inbox.withLock { $0.outstanding -= 1 }
  }

  func publish(_ statistics: CurlLoader.Statistics) {
    figures.withLock { $0 = statistics }
  }

  /// Nothing is accepted any more; what came in last is returned.
  func end() -> Batch {
    inbox.withLock { inbox in
      let batch = Batch(messages: inbox.messages, closing: true)
      inbox.messages = []
      inbox.waiting = 0
      inbox.outstanding = 0
      inbox.ended = true
      inbox.multi = nil
      return batch
    }
  }
}
