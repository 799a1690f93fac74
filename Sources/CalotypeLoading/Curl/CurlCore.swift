import CCurl
import CalotypeSupport
import FoundationEssentials

/// The state that consumers and the loader's thread share: an inbox, and the statistics.
final class CurlCore: Sendable {
  /// A message to the loader's thread.
  enum Message: Sendable {
    case add(Transfer)
    case cancel(Transfer)
    case resume(Transfer)
    case prioritise(Transfer, UInt8)
    /// The live priority of the transfer has changed. The thread reads its present value, so that the last change wins.
    case followPriority(Transfer)
    case cancelAll
    case suspend(Bool)
    /// The limits in the inbox have changed.
    case limits
    /// Answered with `true` when all transfers have ended, with `false` at the deadline.
    case drain(MonotonicTime, Waiter<Bool>)
    /// Answered when all earlier messages have been processed.
    case barrier(Waiter<Void>)
  }

  /// The messages that the thread takes at once.
  struct Batch: Sendable {
    var messages: [Message]
    var closing: Bool
  }

  private struct Inbox {
    var messages: [Message] = []
    /// Transfers that were submitted but not started.
    var waiting = 0
    /// Transfers that were submitted and have not ended, which are bounded: in all, and per host.
    var outstanding = 0
    var outstandingOf: [String: Int] = [:]
    /// The thread will check again before it sleeps, or has been woken.
    var woken = false
    var closing = false
    /// No new transfers are accepted, but the present ones continue.
    var draining = false
    var limits: TransferLimits
    /// Waiters for the end of the thread.
    var endWaiters: [Waiter<Void>] = []
    /// Set while the thread lives. Guarded by the lock, so that a multi handle that is being freed is not woken.
    var multi: UnsafeMutableRawPointer?
    /// The thread processes no more messages.
    var closed = false
    /// The thread has released its connections.
    var ended = false

    mutating func isOver(_ transfer: Transfer) {
      outstanding -= 1
      guard let count = outstandingOf[transfer.host] else { return }
      outstandingOf[transfer.host] = count > 1 ? count - 1 : nil
    }
  }

  let configuration: CurlLoader.Configuration
  private let inbox: Lock<Inbox>
  private let figures = Lock(CurlLoader.Statistics())

  init(_ configuration: CurlLoader.Configuration) {
    self.configuration = configuration
    let limits = TransferLimits(
      concurrent: configuration.maxConcurrent, perHost: configuration.maxConcurrentPerHost,
      queued: configuration.maxQueued)
    inbox = Lock(Inbox(limits: limits))
  }

  /// The statistics as of the last turn of the loop.
  var statistics: CurlLoader.Statistics {
    var result = figures.withLock { $0 }
    inbox.withLock { inbox in
      result.queued = inbox.waiting
      result.isAccepting = !(inbox.closing || inbox.draining || inbox.closed)
    }
    return result
  }

  /// Queues a transfer. Returns the error to fail it with if it is refused.
  func submit(_ transfer: Transfer) -> LoadingError? {
    inbox.withLock { inbox -> LoadingError? in
      if inbox.closing || inbox.draining || inbox.closed { return .loaderClosed(transfer.url) }
      // Transfers that can start immediately also pass through the inbox; hence the differences.
      let limits = inbox.limits
      let waiting = inbox.outstanding - limits.concurrent
      if waiting >= limits.queued { return .queueFull(transfer.url, limit: limits.queued) }
      let outstanding = inbox.outstandingOf[transfer.host] ?? 0
      let waitingOfHost = outstanding - limits.perHost
      if waitingOfHost >= limits.queuedPerHost(waiting: waiting) {
        return .queueFull(transfer.url, limit: waitingOfHost)
      }
      inbox.waiting += 1
      inbox.outstanding += 1
      inbox.outstandingOf[transfer.host] = outstanding + 1
      Self.append(.add(transfer), to: &inbox)
      return nil
    }
  }

  func post(_ message: Message) {
    let refused = inbox.withLock { inbox -> Bool in
      if inbox.closed { return true }
      Self.append(message, to: &inbox)
      return false
    }
    guard refused else { return }
    switch message {
    case .barrier(let waiter): waiter.resolve(())
    case .drain(_, let waiter): waiter.resolve(true)
    case .add, .cancel, .resume, .prioritise, .followPriority, .cancelAll, .suspend, .limits: break
    }
  }

  func setLimits(_ concurrent: Int?, perHost: Int?) {
    inbox.withLock { inbox in
      let old = inbox.limits
      inbox.limits = TransferLimits(
        concurrent: concurrent ?? old.concurrent, perHost: perHost ?? old.perHost, queued: old.queued)
    }
    post(.limits)
  }

  /// Accepts no new transfers from now on.
  func startDraining() {
    inbox.withLock { $0.draining = true }
  }

  /// Asks the thread to end.
  func close() {
    inbox.withLock { inbox in
      inbox.closing = true
      Self.wake(&inbox)
    }
  }

  /// Returns when the thread has released its connections.
  func waitUntilEnded() async {
    let waiter = Waiter<Void>()
    let hasEnded = inbox.withLock { inbox in
      if !inbox.ended { inbox.endWaiters.append(waiter) }
      return inbox.ended
    }
    if !hasEnded { await waiter.value() }
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

  /// Makes the C library's allocator keep a few MiB of freed memory: its limits grow with the largest block that was
  /// freed.
  ///
  /// They start at 128 KiB, which every transfer allocates and frees. Each would then get fresh pages from the system,
  /// which cost more than the work done with them.
  private static func keepFreedMemory() {
    UnsafeMutableRawPointer.allocate(byteCount: 2 << 20, alignment: 16).deallocate()
  }

  func takeMessages() -> Batch {
    inbox.withLock { inbox in
      let batch = Batch(messages: inbox.messages, closing: inbox.closing)
      inbox.messages = []
      inbox.woken = false
      return batch
    }
  }

  var limits: TransferLimits { inbox.withLock { $0.limits } }

  /// Whether messages have arrived since ``takeMessages()``.
  var hasMessages: Bool { inbox.withLock { $0.woken } }

  /// A transfer left the queue, to run or for good.
  func leftQueue(_ transfer: Transfer, forGood: Bool) {
    inbox.withLock { inbox in
      inbox.waiting -= 1
      if forGood { inbox.isOver(transfer) }
    }
  }

  /// A running transfer has ended.
  func finished(_ transfer: Transfer) {
    inbox.withLock { $0.isOver(transfer) }
  }

  func publish(_ statistics: CurlLoader.Statistics) {
    figures.withLock { $0 = statistics }
  }

  /// The thread has released everything. The last call of the thread.
  func gone() {
    let waiters = inbox.withLock { inbox in
      inbox.ended = true
      let waiters = inbox.endWaiters
      inbox.endWaiters = []
      return waiters
    }
    for waiter in waiters { waiter.resolve(()) }
  }

  /// Closes the inbox and returns the last messages.
  func end() -> Batch {
    inbox.withLock { inbox in
      let batch = Batch(messages: inbox.messages, closing: true)
      inbox.messages = []
      inbox.waiting = 0
      inbox.outstanding = 0
      inbox.outstandingOf = [:]
      inbox.closed = true
      inbox.multi = nil
      return batch
    }
  }
}
