import CCurl
import CalotypeSupport
import FoundationEssentials
import Glibc

/// The event loop on the loader's thread: one multi handle, all transfers, their timers and their queue.
///
/// Not `Sendable`: created and used on that thread alone. Callbacks only change state; consumers are woken once per
/// turn, when libcurl is not on the stack.
final class CurlLoop {
  private let core: CurlCore
  private let multi: UnsafeMutableRawPointer
  private var queue: TransferQueue<ObjectIdentifier>
  private var waiting: [ObjectIdentifier: Waiting] = [:]
  private var running: [ObjectIdentifier: RunningTransfer] = [:]
  private var byHandle: [UnsafeMutableRawPointer: RunningTransfer] = [:]
  private var figures = CurlLoader.Statistics()
  /// Transfers whose consumers are to be woken in this turn.
  private var told: [Transfer] = []
  private var barriers: [Waiter<Void>] = []
  private var drains: [Drain] = []
  /// Transfers of this turn that may not wait.
  private var extras: [ObjectIdentifier] = []
  private var isSuspended = false
  private let turn = RunningTransfer.Turn()
  private let share: CurlShare

  private struct Waiting {
    let transfer: Transfer
    let deadline: MonotonicTime
    let observation: LivePriority.Observation?
  }

  private struct Drain {
    let deadline: MonotonicTime
    let waiter: Waiter<Bool>
  }

  /// Runs until the loader is closed.
  static func run(_ core: CurlCore) {
    if globalInit == CURLE_OK, let multi = curl_multi_init() {
      CurlLoop(core, multi: multi).run()
    } else {
      refuse(core.end().messages) { .connectionFailed($0, reason: "libcurl could not be started") }
    }
    core.gone()
  }

  /// Once per process; the library's own guard is only thread-safe in newer versions.
  private static let globalInit = {
    keepOpenSSL()
    return curl_global_init(Int(CURL_GLOBAL_DEFAULT))
  }()

  /// OpenSSL would free its state at exit while this thread may still use it: a transfer in progress would crash the
  /// program instead of letting it exit with its own status.
  private static func keepOpenSSL() {
    typealias Initialise = @convention(c) (UInt64, UnsafeRawPointer?) -> CInt
    // Found by name: libcurl may be built with another library.
    guard let symbol = dlsym(nil, "OPENSSL_init_crypto") else { return }
    let withoutCleanupAtExit: UInt64 = 0x80000
    _ = unsafeBitCast(symbol, to: Initialise.self)(withoutCleanupAtExit, nil)
  }

  private init(_ core: CurlCore, multi: UnsafeMutableRawPointer) {
    self.core = core
    self.multi = multi
    let configuration = core.configuration
    share = CurlShare(cookies: configuration.cookies)
    queue = TransferQueue(limits: core.limits, order: configuration.order)
    _ = calotype_curl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    limitConnections()
    core.began(multi: UInt(bitPattern: multi))
  }

  deinit {
    curl_multi_cleanup(multi)
  }

  /// Limits idle connections. By default libcurl keeps four for each of the most transfers that ever ran at a time.
  private func limitConnections() {
    _ = calotype_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, min(queue.limits.concurrent, 128) * 2)
  }

  private func run() {
    while true {
      switch takeTurn() {
      case .again: continue
      case .end: return
      case .sleep: break
      }
      var ready: Int32 = 0
      let wait = turn.nextDeadline.milliseconds(from: .now, limit: 60_000)
      if curl_multi_poll(multi, nil, 0, wait, &ready) != CURLM_OK {
        // libcurl is out of memory; do not spin.
        sched_yield()
      }
    }
  }

  private enum Next {
    case again, sleep, end
  }

  /// A separate function, so that nothing of a turn is kept alive while the thread sleeps: the last reference to a
  /// transfer also holds its loader.
  private func takeTurn() -> Next {
    turn.now = .now
    let batch = core.takeMessages()
    if batch.closing {
      close(batch.messages)
      return .end
    }
    for message in batch.messages { handle(message) }
    startTransfers()
    perform()
    checkDeadlines()
    // Ended transfers have made room.
    let started = startTransfers()
    refuseExtras()
    report()
    return started || core.hasMessages ? .again : .sleep
  }

  // MARK: Messages

  private func handle(_ message: CurlCore.Message) {
    switch message {
    case .add(let transfer): add(transfer)
    case .cancel(let transfer): cancel(transfer)
    case .resume(let transfer):
      guard let run = running[ObjectIdentifier(transfer)] else { return }
      run.timer.resumed(at: turn.now)
      turn.note(run.timer.deadline?.time)
      // libcurl hands over the bytes it holds, which may pause the transfer again.
      if let easy = run.easy { curl_easy_pause(easy, CURLPAUSE_CONT) }
    case .prioritise(let transfer, let priority): queue.prioritise(ObjectIdentifier(transfer), priority)
    case .followPriority(let transfer): queue.prioritise(ObjectIdentifier(transfer), transfer.priority)
    case .cancelAll:
      for entry in waiting.values { entry.transfer.cancel() }
      for run in running.values { run.transfer.cancel() }
    case .suspend(let isSuspended): self.isSuspended = isSuspended
    case .limits:
      queue.setLimits(core.limits)
      limitConnections()
    case .drain(let deadline, let waiter):
      // Queued transfers must end, even if the loader is suspended.
      isSuspended = false
      drains.append(Drain(deadline: deadline, waiter: waiter))
      turn.note(deadline)
    case .barrier(let waiter): barriers.append(waiter)
    }
  }

  private func add(_ transfer: Transfer) {
    if transfer.isGone {
      core.leftQueue(transfer, forGood: true)
      figures.cancelled += 1
      return
    }
    let id = ObjectIdentifier(transfer)
    let total = transfer.request.queueLimit
    let deadline = total.map { transfer.submitted.advanced(by: $0) } ?? .distantFuture
    // Before the priority is read, so that no change is missed.
    let observation = transfer.observePriority()
    waiting[id] = Waiting(transfer: transfer, deadline: deadline, observation: observation)
    queue.put(id, host: transfer.host, priority: transfer.priority)
    if transfer.request.start?.isExtra == true { extras.append(id) }
    turn.note(deadline)
  }

  /// Fails transfers that would have to wait for a slot but may not.
  private func refuseExtras() {
    for id in extras {
      guard let entry = waiting[id] else { continue }
      entry.transfer.fail(.queueFull(entry.transfer.url, limit: 0))
      told.append(entry.transfer)
      drop(id, entry)
      figures.failed += 1
    }
    extras.removeAll(keepingCapacity: true)
  }

  private func cancel(_ transfer: Transfer) {
    let id = ObjectIdentifier(transfer)
    if let run = running[id] {
      countAsCancelled(run)
      remove(run)
    } else if let entry = waiting[id] {
      drop(id, entry)
      figures.cancelled += 1
    }
  }

  // MARK: Transfers

  /// Starts transfers as the limits allow. Returns whether any was started.
  @discardableResult private func startTransfers() -> Bool {
    var any = false
    while !isSuspended, let id = queue.take() {
      guard let entry = waiting.removeValue(forKey: id) else { continue }
      entry.observation?.cancel()
      core.leftQueue(entry.transfer, forGood: false)
      any = true
      let now = MonotonicTime.now
      if entry.deadline <= now {
        // Its deadline passed in the queue.
        neverRan(entry.transfer, Self.timedOut(entry.transfer))
      } else {
        start(entry.transfer, id, now)
      }
    }
    return any
  }

  private func start(_ transfer: Transfer, _ id: ObjectIdentifier, _ now: MonotonicTime) {
    figures.started += 1
    transfer.request.start?.begin()
    guard
      let run = RunningTransfer(
        transfer, configuration: core.configuration, share: share, turn: turn, now: now),
      add(run)
    else {
      neverRan(transfer, .connectionFailed(transfer.url, reason: "no memory for another transfer"))
      return
    }
    running[id] = run
    turn.note(run.timer.deadline?.time)
  }

  /// Ends a transfer that was taken from the queue, without a request.
  private func neverRan(_ transfer: Transfer, _ error: LoadingError) {
    transfer.fail(error)
    told.append(transfer)
    figures.failed += 1
    queue.finished(host: transfer.host)
    core.finished(transfer)
  }

  private static func timedOut(_ transfer: Transfer) -> LoadingError {
    .timedOut(transfer.url, phase: .queue, after: transfer.request.queueLimit ?? .zero)
  }

  /// Adds the request of a transfer to the multi handle.
  private func add(_ run: RunningTransfer) -> Bool {
    guard let easy = run.easy, curl_multi_add_handle(multi, easy) == CURLM_OK else { return false }
    byHandle[easy] = run
    return true
  }

  /// Removes the request of a transfer. If it has not ended, its connection (or HTTP/2 stream) is closed.
  private func takeOff(_ run: RunningTransfer) {
    guard let easy = run.easy, byHandle.removeValue(forKey: easy) != nil else { return }
    figures.connectionsOpened += run.connectionsOpened
    curl_multi_remove_handle(multi, easy)
  }

  private func perform() {
    var active: Int32 = 0
    turn.now = .now
    curl_multi_perform(multi, &active)
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let run = byHandle[message.pointee.easy_handle] else {
        continue
      }
      if run.transfer.isGone, run.failure == nil { countAsCancelled(run) }
      switch run.ended(calotype_curl_message_result(message)) {
      case .redirected:
        if follow(run) { continue }
        if run.failure == nil { countAsCompleted(run) }
      case .completed: countAsCompleted(run)
      case .failed: break
      }
      remove(run)
    }
  }

  private func countAsCompleted(_ run: RunningTransfer) {
    guard !run.isCounted else { return }
    run.isCounted = true
    figures.completed += 1
  }

  /// Sends the next request of a transfer. Returns `false` if there is none.
  private func follow(_ run: RunningTransfer) -> Bool {
    takeOff(run)
    guard run.follow(at: .now) else { return false }
    guard add(run) else {
      run.ended(with: .connectionFailed(run.transfer.url, reason: "no memory for another request"))
      return false
    }
    turn.note(run.timer.deadline?.time)
    return true
  }

  /// Removes a transfer that has ended.
  private func remove(_ run: RunningTransfer) {
    collect(run)
    takeOff(run)
    running[ObjectIdentifier(run.transfer)] = nil
    queue.finished(host: run.transfer.host)
    core.finished(run.transfer)
  }

  private func drop(_ id: ObjectIdentifier, _ entry: Waiting) {
    waiting[id] = nil
    entry.observation?.cancel()
    queue.remove(id)
    core.leftQueue(entry.transfer, forGood: true)
  }

  // MARK: Time

  /// Activity only postpones deadlines, so the next one may be early but never late. The transfers are examined when it
  /// has passed, not every turn.
  private func checkDeadlines() {
    let now = MonotonicTime.now
    guard turn.nextDeadline <= now else { return }
    turn.nextDeadline = .distantFuture
    for run in Array(running.values) {
      if let phase = run.timer.expired(at: now) {
        run.timedOut(phase)
        remove(run)
      } else {
        turn.note(run.timer.deadline?.time)
      }
    }
    answerDrains { $0.deadline <= now }
    for drain in drains { turn.note(drain.deadline) }
    for (id, entry) in Array(waiting) {
      if entry.deadline <= now {
        entry.transfer.fail(Self.timedOut(entry.transfer))
        told.append(entry.transfer)
        drop(id, entry)
        figures.failed += 1
      } else {
        turn.note(entry.deadline)
      }
    }
  }

  // MARK: Notifications

  private func collect(_ run: RunningTransfer) {
    figures.bytesReceived += run.events.bytes
    figures.pauses += run.events.pauses
    figures.peakBufferedBytes = max(figures.peakBufferedBytes, run.events.peakBuffered)
    if run.failure != nil, !run.isCounted {
      run.isCounted = true
      figures.failed += 1
    }
    if run.events.isTouched { told.append(run.transfer) }
    run.events = RunningTransfer.Events()
  }

  private func countAsCancelled(_ run: RunningTransfer) {
    guard !run.isCounted else { return }
    run.isCounted = true
    figures.cancelled += 1
  }

  /// The statistics first, then the consumers, so that a consumer never sees statistics older than its own result.
  private func report() {
    for run in turn.touched where run.events.isTouched { collect(run) }
    turn.touched.removeAll(keepingCapacity: true)
    figures.active = running.count
    core.publish(figures)
    let told = self.told
    self.told = []
    for transfer in told { transfer.deliver() }
    for barrier in barriers { barrier.resolve(()) }
    barriers = []
    if !drains.isEmpty, running.isEmpty, waiting.isEmpty { answerDrains { _ in true } }
  }

  private func answerDrains(_ isAnswered: (Drain) -> Bool) {
    let isDrained = running.isEmpty && waiting.isEmpty
    for drain in drains where isAnswered(drain) { drain.waiter.resolve(isDrained) }
    drains.removeAll(where: isAnswered)
  }

  // MARK: End

  private func close(_ messages: [CurlCore.Message]) {
    answerDrains { _ in true }
    for run in Array(running.values) {
      run.ended(with: .loaderClosed(run.transfer.url))
      remove(run)
    }
    for entry in waiting.values {
      entry.observation?.cancel()
      entry.transfer.fail(.loaderClosed(entry.transfer.url))
      told.append(entry.transfer)
      figures.failed += 1
    }
    waiting = [:]
    let late = core.end().messages
    report()
    Self.refuse(messages + late) { .loaderClosed($0) }
  }

  private static func refuse(_ messages: [CurlCore.Message], _ error: (URL) -> LoadingError) {
    for message in messages {
      switch message {
      case .add(let transfer):
        transfer.fail(error(transfer.url))
        transfer.deliver()
      case .barrier(let waiter): waiter.resolve(())
      case .drain(_, let waiter): waiter.resolve(false)
      case .cancel, .resume, .prioritise, .followPriority, .cancelAll, .suspend, .limits: break
      }
    }
  }
}
