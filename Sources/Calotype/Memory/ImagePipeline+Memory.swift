import CalotypeCaching
import CalotypeImaging
import CalotypeSupport

extension ImagePipeline {
  /// The bytes that a pipeline may hold while it works: arriving encoded originals, pixels, and data that
  /// waits to be stored.
  ///
  /// ```swift
  /// let memory = ImagePipeline.Memory(byteLimit: 256 << 20)
  /// thumbnails.memory = memory   // two configurations, one limit
  /// originals.memory = memory
  /// ```
  ///
  /// Bytes are reserved before they are read or allocated. A reservation that does not fit waits, and
  /// back-pressure stops its transfer. When memory is short, the pipeline reclaims it in this order:
  /// previews and the decoders of images that are still arriving (which start over when all bytes have
  /// arrived), idle buffers of `PixelPool.shared` and of large bodies, and results that wait to be stored.
  ///
  /// An image that needs more memory than the others leave is processed alone. An image that needs more
  /// than the limit, including its encoded bytes, is rejected by its header
  /// (``PipelineError/exceedsMemory(_:bytes:limit:)``). When all memory is held by images that wait for
  /// more, the latest of them is rejected and may be retried
  /// (``PipelineError/overloaded(_:waiting:retryAfter:)``). The same happens when nothing but complete
  /// originals is held, and no reservation has changed for a quarter of a second; bodies that wait for
  /// memory are then collected in temporary files first. The memory cache has its own limit.
  ///
  /// Several pipelines may share one instance. All members may be used from any thread.
  public final class Memory: Sendable {
    /// Counts of the held bytes.
    public struct Statistics: Hashable, Sendable {
      /// The maximum number of bytes held.
      public var byteLimit = 0
      /// The bytes held now.
      public var bytes = 0
      /// The peak number of bytes held.
      public var peakBytes = 0
      /// The bytes of encoded originals that are arriving or wait to be decoded.
      public var encodedBytes = 0
      /// The bytes of canvases and previews of images that are still arriving.
      public var arrivingBytes = 0
      /// The bytes of pixels that are being decoded or transformed.
      public var decodedBytes = 0
      /// The bytes of data that waits to be stored.
      public var storeBytes = 0
      /// The number of loads that wait for memory.
      public var waiting = 0
      /// The number of times that memory was reclaimed.
      public var reclaims = 0
    }

    /// Kinds of reclaimable memory, in the order of reclaiming.
    enum Reclaimable: Int, CaseIterable, Sendable {
      case arriving
      case pools
      case stores
    }

    private struct Applicant {
      let bytes: Int
      let account: MemoryLedger.Account
      let answer: Waiter<Answer>
    }

    private enum Answer {
      case admitted, refused, cancelled
    }

    /// A queue that waits for bytes of pixels.
    private struct Shortage {
      let queue: Int
      let bytes: Int
      /// Refuses entries of the queue.
      let resolve: @Sendable () -> Void
    }

    private struct State {
      var accounts: MemoryLedger
      /// The waiters in order of arrival.
      var waiting: [Int] = []
      var waiters: [Int: Applicant] = [:]
      var nextID = 0
      /// Whether a request has found no memory since bytes were last released.
      var isWanted = false
      /// The pixels that do not fit, oldest first. No more bytes are read until they fit.
      var shortages: [Shortage] = []
      /// The number of other requests that have passed the oldest.
      var passed = 0
      var observers: [Int: @Sendable () -> Void] = [:]
      var reclaimers: [Int: (kind: Reclaimable, reclaim: @Sendable (_ bytes: Int) -> Void)] = [:]
      var reclaims = 0
      /// The number of changes when the timer was set; `nil` while nobody waits.
      var watched: Int?
      /// The number of bodies with reserved bytes that are in transfer.
      var arriving = 0

      /// Whether bytes have to wait for pixels that a queue waits for. Stores may continue within their
      /// share, unless the pixels need that too: a cache must fill while the load is high.
      func isHeldBack(_ bytes: Int, in account: MemoryLedger.Account) -> Bool {
        if shortages.isEmpty || account == .decoded { return false }
        guard account == .stores else { return true }
        let share = accounts.floor(of: .stores)
        return accounts.held(by: .stores) + bytes > share
          || shortages.contains { $0.bytes > accounts.limit - share }
      }

      /// Whether pixels may be taken while another queue waits for some. Not allowed after too many passes,
      /// unless nothing is decoded and the other queue waits for the encoded bytes of these pixels.
      func mayPass(_ queue: Int?, holdsBytes: Bool) -> Bool {
        guard let first = shortages.first, first.queue != queue else { return true }
        return passed < ImagePipeline.Memory.mostPassed
          || (holdsBytes && accounts.held(by: .decoded) + accounts.held(by: .arriving) == 0)
      }

      mutating func endShortage(_ queue: Int) {
        guard let index = shortages.firstIndex(where: { $0.queue == queue }) else { return }
        shortages.remove(at: index)
        if index == 0 { passed = 0 }
        isWanted = true
      }

      /// Removes and returns the waiters that now fit, in their order.
      mutating func admit() -> [Applicant] {
        var admitted: [Applicant] = []
        while let id = waiting.first {
          guard let waiter = waiters[id] else {
            waiting.removeFirst()
            continue
          }
          guard shortages.isEmpty || accounts.held(by: .encoded) == 0,
            accounts.reserve(waiter.bytes, in: waiter.account)
          else { break }
          waiting.removeFirst()
          waiters[id] = nil
          admitted.append(waiter)
        }
        return admitted
      }
    }

    private let state: Lock<State>
    /// The number of requests of other queues that may pass one that waits for pixels.
    private static let mostPassed = 16
    /// The time without any change after which those that wait count as deadlocked.
    static let standstill = Duration.milliseconds(250)
    private let timer = ExpiryTimer(ContinuousClock())

    /// The default limit for one process: two fifths of the memory that its control group or the machine
    /// allows it to use, at most 1 GiB.
    public static var defaultByteLimit: Int { byteLimit(forMemory: SystemMemory.availableToThisProcess) }

    static func byteLimit(forMemory bytes: Int) -> Int { min(bytes / 5 * 2, 1 << 30) }

    /// Creates a limit for one or several pipelines.
    ///
    /// - Parameter byteLimit: The maximum number of bytes to hold; ``defaultByteLimit`` if `nil`.
    public convenience init(byteLimit: Int? = nil) {
      self.init(accounts: MemoryLedger(limit: byteLimit ?? Self.defaultByteLimit))
    }

    init(accounts: MemoryLedger) {
      state = Lock(State(accounts: accounts))
      addReclaimer(.pools) { _ in
        PixelPool.shared.trim()
        PageCache.shared.trim()
      }
    }

    /// Creates the memory of one pipeline, according to its limits.
    convenience init(limits: ImagePipeline.Limits) {
      var ceilings: [MemoryLedger.Account: Int] = [:]
      ceilings[.decoded] = limits.decodedBytes
      ceilings[.arriving] = limits.decodedBytes
      ceilings[.encoded] = limits.encodedBytes
      self.init(accounts: MemoryLedger(limit: Self.defaultByteLimit, ceilings: ceilings))
    }

    /// The maximum number of bytes held.
    public var byteLimit: Int { state.withLock { $0.accounts.limit } }

    /// The current counts.
    public var statistics: Statistics {
      state.withLock { state in
        var statistics = Statistics()
        statistics.byteLimit = state.accounts.limit
        statistics.bytes = state.accounts.total
        statistics.peakBytes = state.accounts.peakTotal
        statistics.encodedBytes = state.accounts.held(by: .encoded)
        statistics.arrivingBytes = state.accounts.held(by: .arriving)
        statistics.decodedBytes = state.accounts.held(by: .decoded)
        statistics.storeBytes = state.accounts.held(by: .stores)
        statistics.waiting = state.waiters.count
        statistics.reclaims = state.reclaims
        return statistics
      }
    }

    /// Returns the peak number of bytes held by an account.
    func peak(of account: MemoryLedger.Account) -> Int { state.withLock { $0.accounts.peak(of: account) } }

    /// Returns the maximum number of bytes that an account can hold.
    func ceiling(of account: MemoryLedger.Account) -> Int {
      state.withLock { $0.accounts.ceiling(of: account) }
    }

    // MARK: Reserving

    /// Reserves bytes, if they fit now; 0 bytes always fit.
    ///
    /// - Parameters:
    ///   - bytes: The number of bytes.
    ///   - account: The account that holds the bytes.
    ///   - queue: The requesting queue, as for ``beginShortage(_:of:)``.
    ///   - holdsBytes: Whether encoded bytes are released together with these.
    func tryReserve(
      _ bytes: Int, in account: MemoryLedger.Account, queue: Int? = nil, holdsBytes: Bool = false
    ) -> MemoryReservation? {
      take(bytes, in: account, queue: queue, holdsBytes: holdsBytes)
        ? MemoryReservation(self, bytes: max(0, bytes), account: account) : nil
    }

    func take(
      _ bytes: Int, in account: MemoryLedger.Account, queue: Int? = nil, holdsBytes: Bool = false
    ) -> Bool {
      if bytes <= 0 { return true }
      return state.withLock { state in
        // While pixels are waited for, no more bytes are read, and nothing is decoded in advance.
        guard !state.isHeldBack(bytes, in: account),
          account != .decoded || state.mayPass(queue, holdsBytes: holdsBytes),
          state.accounts.reserve(bytes, in: account)
            || (account == .decoded && state.accounts.reserveAlone(bytes, in: account))
        else {
          state.isWanted = true
          return false
        }
        if account == .decoded, let first = state.shortages.first, first.queue != queue { state.passed += 1 }
        return true
      }
    }

    /// Waits for bytes, behind earlier waiters.
    ///
    /// - Returns: `nil` if the account can never hold that many bytes, or at a standstill.
    /// - Throws: `CancellationError` when the task is cancelled before.
    func reserve(_ bytes: Int, in account: MemoryLedger.Account) async throws -> MemoryReservation? {
      let id = state.withLock { state -> Int? in
        guard bytes <= state.accounts.ceiling(of: account) else { return nil }
        state.nextID += 1
        return state.nextID
      }
      guard let id else { return nil }
      let answer = Waiter<Answer>()
      let admitted = state.withLock { state in
        state.waiting.append(id)
        state.waiters[id] = Applicant(bytes: max(0, bytes), account: account, answer: answer)
        state.isWanted = true
        return state.admit()
      }
      for applicant in admitted { applicant.answer.resolve(.admitted) }
      let outcome = await withTaskCancellationHandler {
        if isWaiting(id) {
          watch()
          reclaim(bytes, for: account)
        }
        return await answer.value()
      } onCancel: {
        giveUp(id)
      }
      switch outcome {
      case .admitted: return MemoryReservation(self, bytes: max(0, bytes), account: account)
      case .refused: return nil
      case .cancelled: throw CancellationError()
      }
    }

    private func isWaiting(_ id: Int) -> Bool { state.withLock { $0.waiters[id] != nil } }

    private func giveUp(_ id: Int) {
      let (applicant, admitted) = state.withLock { state in
        let applicant = state.waiters.removeValue(forKey: id)
        // The cancelled applicant may have blocked the others.
        return (applicant, state.admit())
      }
      applicant?.answer.resolve(.cancelled)
      for applicant in admitted { applicant.answer.resolve(.admitted) }
    }

    /// Returns the error for pixels that can never fit, in addition to the encoded bytes they are made
    /// from; `nil` if they can.
    func refusal(of bytes: Int, besides own: Int) -> (any Error)? {
      let limit = byteLimit
      let (sum, overflow) = bytes.addingReportingOverflow(own)
      return !overflow && sum <= limit ? nil : MemoryRefusal(bytes: overflow ? .max : sum, limit: limit)
    }

    /// The number of encoded bytes held, if nothing else is held.
    var encodedBytesAlone: Int? {
      state.withLock { state in
        let encoded = state.accounts.held(by: .encoded)
        return encoded == state.accounts.total ? encoded : nil
      }
    }

    /// Returns a number for ``beginShortage(_:of:)``.
    func ownerNumber() -> Int {
      state.withLock { state in
        state.nextID += 1
        return state.nextID
      }
    }

    /// Records that a queue waits for bytes of pixels: no more bytes are read until ``endShortage(_:)``.
    ///
    /// - Parameter resolve: Called at a standstill, under no lock: refuses entries, so that others continue.
    func beginShortage(_ queue: Int, of bytes: Int, resolve: @escaping @Sendable () -> Void) {
      state.withLock { $0.shortages.append(Shortage(queue: queue, bytes: bytes, resolve: resolve)) }
      watch()
    }

    /// Records that a queue has its bytes, or no longer waits. Resumes no waiter: the caller has to call
    /// ``announceRoom()`` afterwards.
    func endShortage(_ queue: Int) {
      state.withLock { $0.endShortage(queue) }
    }

    /// Reclaims bytes from others. Bytes they release, now or soon, are announced.
    func reclaim(_ bytes: Int, for account: MemoryLedger.Account) {
      let reclaimers = state.withLock { state in
        state.isWanted = true
        state.reclaims += 1
        return Array(state.reclaimers.values)
      }
      for kind in Reclaimable.allCases {
        for reclaimer in reclaimers where reclaimer.kind == kind { reclaimer.reclaim(bytes) }
        let isEnough = state.withLock { $0.accounts.room(for: account) >= bytes }
        if isEnough { return }
      }
    }

    // MARK: Standstill

    /// Checks for a standstill while anything waits.
    ///
    /// The holders of memory may wait for each other: an image for the bytes of an original that another
    /// one holds, in this or another pipeline, and that one for memory to load its own. Nobody knows all
    /// holders, but those that continue change the ledger soon.
    private func watch() {
      let isNew = state.withLock { state in
        guard state.watched == nil else { return false }
        state.watched = state.accounts.changes
        return true
      }
      if isNew { setTimer() }
    }

    private func setTimer() {
      _ = timer.add(at: timer.now() + Self.standstill) { [weak self] in self?.check() }
    }

    private func check() {
      if resolveStandstill() { setTimer() }
    }

    /// Refuses what waits, if nothing has changed since the last call.
    ///
    /// - Returns: Whether anything waits.
    func resolveStandstill() -> Bool {
      let (isOver, refused, shortage) = state.withLock { state -> (Bool, [Applicant], Shortage?) in
        guard !state.shortages.isEmpty || !state.waiters.isEmpty else {
          state.watched = nil
          return (true, [], nil)
        }
        let isStill = state.watched == state.accounts.changes
        state.watched = state.accounts.changes
        // Pixels, stores and bodies in transfer release their bytes without waiting for memory.
        guard isStill, state.arriving == 0, state.accounts.held(by: .encoded) == state.accounts.total else {
          return (false, [], nil)
        }
        // First those that can do without: their bytes go to files.
        if state.waiters.isEmpty { return (false, [], state.shortages.last) }
        defer { (state.waiting, state.waiters) = ([], [:]) }
        return (false, Array(state.waiters.values), nil)
      }
      for applicant in refused { applicant.answer.resolve(.refused) }
      shortage?.resolve()
      return !isOver
    }

    /// Counts bodies with reserved bytes that are in transfer.
    func countArriving(_ change: Int) {
      state.withLock { $0.arriving += change }
    }

    // MARK: Releasing

    func release(_ bytes: Int, from account: MemoryLedger.Account) {
      state.withLock { $0.accounts.release(bytes, from: account) }
      announceRoom()
    }

    /// Moves bytes between accounts. The caller has to call ``announceRoom()`` afterwards.
    func move(_ bytes: Int, from old: MemoryLedger.Account, to new: MemoryLedger.Account) -> Bool {
      state.withLock { state in
        state.accounts.release(bytes, from: old)
        if !state.isHeldBack(bytes, in: new), state.accounts.reserve(bytes, in: new) { return true }
        state.accounts.restore(bytes, to: old)
        return false
      }
    }

    /// Admits the waiters that now fit, and notifies the observers.
    func announceRoom() {
      let (admitted, observers) = state.withLock { state -> ([Applicant], [@Sendable () -> Void]) in
        guard state.isWanted else { return ([], []) }
        let admitted = state.admit()
        state.isWanted = !state.waiters.isEmpty
        return (admitted, Array(state.observers.values))
      }
      for waiter in admitted { waiter.answer.resolve(.admitted) }
      for observer in observers { observer() }
    }

    /// Calls `observer` when memory may be available again after a shortage, on the thread that released
    /// it.
    ///
    /// - Returns: A number for ``stopTelling(_:)``.
    func whenThereIsRoom(_ observer: @escaping @Sendable () -> Void) -> Int {
      state.withLock { state in
        state.nextID += 1
        state.observers[state.nextID] = observer
        return state.nextID
      }
    }

    /// Removes an observer or a reclaimer.
    func stopTelling(_ number: Int) {
      state.withLock { state in
        state.observers[number] = nil
        state.reclaimers[number] = nil
      }
    }

    /// Calls `reclaim` with the number of missing bytes when memory is short.
    ///
    /// - Returns: A number for ``stopTelling(_:)``.
    @discardableResult func addReclaimer(
      _ kind: Reclaimable, _ reclaim: @escaping @Sendable (_ bytes: Int) -> Void
    ) -> Int {
      state.withLock { state in
        state.nextID += 1
        state.reclaimers[state.nextID] = (kind, reclaim)
        return state.nextID
      }
    }
  }
}

/// All memory is held by jobs that wait for more: one of them has to fail, and may be retried.
struct MemoryDeadlock: Error, Hashable {
  /// The number of other waiting jobs.
  let waiting: Int
}

/// A decode that needs more memory than the limit allows; the pipeline adds the source to the error.
struct MemoryRefusal: Error, Hashable {
  let bytes: Int
  let limit: Int
}
