import CalotypeCaching
import CalotypeImaging
import CalotypeSupport

extension ImagePipeline {
  /// The bytes that a pipeline may hold while it works: encoded originals that arrive, pixels, and what waits to be stored.
  ///
  /// ```swift
  /// let memory = ImagePipeline.Memory(byteLimit: 256 << 20)
  /// thumbnails.memory = memory   // two configurations, one limit
  /// originals.memory = memory
  /// ```
  ///
  /// Bytes are reserved before they are read or allocated. What does not fit waits, and the transfer it waits for is held back.
  /// When room is short, these give way, in this order: previews and the decoders of images that still arrive (which start over
  /// when all bytes are there), idle buffers of `PixelPool.shared` and of large bodies, and results that wait to be stored.
  ///
  /// An image that needs more than all others leave goes alone; one that needs more than the limit, its encoded bytes included,
  /// is refused by its header (``PipelineError/exceedsMemory(_:bytes:limit:)``). When all that is held belongs to images that
  /// wait for more, the one that came last is refused, and may come back
  /// (``PipelineError/overloaded(_:waiting:retryAfter:)``). The memory cache has a limit of its own.
  ///
  /// May be shared by several pipelines. All members may be used from any thread.
  public final class Memory: Sendable {
    /// What is held.
    public struct Statistics: Hashable, Sendable {
      /// The most that is ever held.
      public var byteLimit = 0
      /// Bytes that are held now.
      public var bytes = 0
      /// The most there have been.
      public var peakBytes = 0
      /// Bytes of encoded originals that arrive or wait to be decoded.
      public var encodedBytes = 0
      /// Bytes of canvases of images that still arrive, and their previews.
      public var arrivingBytes = 0
      /// Bytes of pixels that are being decoded or transformed.
      public var decodedBytes = 0
      /// Bytes of what waits to be stored.
      public var storeBytes = 0
      /// Loads that wait for room.
      public var waiting = 0
      /// How often room was made.
      public var reclaims = 0
    }

    /// Kinds of what gives way, in the order in which it does.
    enum Reclaimable: Int, CaseIterable, Sendable {
      case arriving
      case pools
      case stores
    }

    private struct Waiter {
      let bytes: Int
      let account: MemoryLedger.Account
      let resume: @Sendable (Bool) -> Void
    }

    private struct State {
      var accounts: MemoryLedger
      /// In the order they came.
      var waiting: [Int] = []
      var waiters: [Int: Waiter] = [:]
      var nextID = 0
      /// A request found no room since bytes were last given back.
      var isWanted = false
      /// Bytes of pixels for which there is no room, by the queue that waits for them, the oldest first: no more is read until
      /// there is.
      var shortages: [(queue: Int, bytes: Int)] = []
      /// How many of others have passed the oldest.
      var passed = 0
      var observers: [Int: @Sendable () -> Void] = [:]
      var reclaimers: [Int: (kind: Reclaimable, reclaim: @Sendable (_ bytes: Int) -> Void)] = [:]
      var reclaims = 0

      /// Whether bytes have to wait for the pixels that others wait for. What is to be stored may go on within its share,
      /// unless they need that too: a cache must fill while there is much to do.
      func isHeldBack(_ bytes: Int, in account: MemoryLedger.Account) -> Bool {
        if shortages.isEmpty || account == .decoded { return false }
        guard account == .stores else { return true }
        let share = accounts.floor(of: .stores)
        return accounts.held(by: .stores) + bytes > share
          || shortages.contains { $0.bytes > accounts.limit - share }
      }

      /// Whether pixels may be taken while another queue waits for some: not when it was passed many times, unless nothing is
      /// decoded and what they are made of is what the other waits for.
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

      /// Waiters that now have room, in their order.
      mutating func admit() -> [Waiter] {
        var admitted: [Waiter] = []
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
    /// How many of other queues may pass one that waits for pixels.
    private static let mostPassed = 16

    /// Bytes that may be held for one process that says nothing else: two fifths of the memory that it may use, by its control
    /// group or the machine, at most 1 GiB.
    public static var defaultByteLimit: Int { byteLimit(forMemory: SystemMemory.availableToThisProcess) }

    static func byteLimit(forMemory bytes: Int) -> Int { min(bytes / 5 * 2, 1 << 30) }

    /// A limit for one or several pipelines.
    ///
    /// - Parameter byteLimit: The most bytes to hold; ``defaultByteLimit`` if there is none.
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

    /// That of one pipeline, by its limits.
    convenience init(limits: ImagePipeline.Limits) {
      var ceilings: [MemoryLedger.Account: Int] = [:]
      ceilings[.decoded] = limits.decodedBytes
      ceilings[.arriving] = limits.decodedBytes
      ceilings[.encoded] = limits.encodedBytes
      self.init(accounts: MemoryLedger(limit: Self.defaultByteLimit, ceilings: ceilings))
    }

    /// The most that is ever held, in bytes.
    public var byteLimit: Int { state.withLock { $0.accounts.limit } }

    /// What is held now.
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

    /// The most that an account has held.
    func peak(of account: MemoryLedger.Account) -> Int { state.withLock { $0.accounts.peak(of: account) } }

    /// The most that an account can hold.
    func ceiling(of account: MemoryLedger.Account) -> Int {
      state.withLock { $0.accounts.ceiling(of: account) }
    }

    // MARK: Taking

    /// Bytes, if there is room for them now; 0 bytes are always there.
    ///
    /// - Parameters:
    ///   - bytes: How many.
    ///   - account: What for.
    ///   - queue: The queue that asks, as for ``beginShortage(_:of:)``.
    ///   - holdsBytes: Whether encoded bytes come free when these are given back.
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
        // Nothing more is read while pixels are waited for, and nothing decoded in advance.
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
    /// - Returns: `nil` when there can never be so many in that account.
    /// - Throws: `CancellationError` when the task is cancelled before.
    func reserve(_ bytes: Int, in account: MemoryLedger.Account) async throws -> MemoryReservation? {
      let handed = Transferred<Bool>()
      let id = state.withLock { state -> Int? in
        guard bytes <= state.accounts.ceiling(of: account) else { return nil }
        state.nextID += 1
        return state.nextID
      }
      guard let id else { return nil }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let admitted = state.withLock { state in
            state.waiting.append(id)
            state.waiters[id] = Waiter(bytes: max(0, bytes), account: account) { isTaken in
              handed.set(isTaken)
              continuation.resume()
            }
            state.isWanted = true
            return state.admit()
          }
          for waiter in admitted { waiter.resume(true) }
          if Task.isCancelled { giveUp(id) } else if isWaiting(id) { reclaim(bytes, for: account) }
        }
      } onCancel: {
        giveUp(id)
      }
      guard handed.take() == true else { throw CancellationError() }
      return MemoryReservation(self, bytes: max(0, bytes), account: account)
    }

    private func isWaiting(_ id: Int) -> Bool { state.withLock { $0.waiters[id] != nil } }

    private func giveUp(_ id: Int) {
      let (waiter, admitted) = state.withLock { state in
        let waiter = state.waiters.removeValue(forKey: id)
        // It may have been the one that the others could not get past.
        return (waiter, state.admit())
      }
      waiter?.resume(false)
      for waiter in admitted { waiter.resume(true) }
    }

    /// Why so many bytes of pixels can never be held, besides the bytes that they are made of; `nil` if they can.
    func refusal(of bytes: Int, besides own: Int) -> (any Error)? {
      let limit = byteLimit
      let (sum, overflow) = bytes.addingReportingOverflow(own)
      return !overflow && sum <= limit ? nil : MemoryRefusal(bytes: overflow ? .max : sum, limit: limit)
    }

    /// Encoded bytes that are held, if nothing else is.
    var encodedBytesAlone: Int? {
      state.withLock { state in
        let encoded = state.accounts.held(by: .encoded)
        return encoded == state.accounts.total ? encoded : nil
      }
    }

    /// A number for ``beginShortage(_:of:)``.
    func ownerNumber() -> Int {
      state.withLock { state in
        state.nextID += 1
        return state.nextID
      }
    }

    /// A queue waits for so many bytes of pixels: until ``endShortage(_:)``, nothing more is read.
    func beginShortage(_ queue: Int, of bytes: Int) {
      state.withLock { $0.shortages.append((queue, bytes)) }
    }

    /// A queue has them, or does not wait any more. Resumes no waiter: ``announceRoom()`` is to be called afterwards.
    func endShortage(_ queue: Int) {
      state.withLock { $0.endShortage(queue) }
    }

    /// Has others give way. What they give up, now or soon, is announced.
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

    // MARK: Giving back

    func release(_ bytes: Int, from account: MemoryLedger.Account) {
      state.withLock { $0.accounts.release(bytes, from: account) }
      announceRoom()
    }

    /// Moves bytes between accounts. ``announceRoom()`` is to be called afterwards.
    func move(_ bytes: Int, from old: MemoryLedger.Account, to new: MemoryLedger.Account) -> Bool {
      state.withLock { state in
        state.accounts.release(bytes, from: old)
        if !state.isHeldBack(bytes, in: new), state.accounts.reserve(bytes, in: new) { return true }
        state.accounts.restore(bytes, to: old)
        return false
      }
    }

    /// Looks whether waiters now have room, and tells the observers.
    func announceRoom() {
      let (admitted, observers) = state.withLock { state -> ([Waiter], [@Sendable () -> Void]) in
        guard state.isWanted else { return ([], []) }
        let admitted = state.admit()
        state.isWanted = !state.waiters.isEmpty
        return (admitted, Array(state.observers.values))
      }
      for waiter in admitted { waiter.resume(true) }
      for observer in observers { observer() }
    }

    /// Calls `observer` when there may be room again after there was none, on the thread that gave it back.
    ///
    /// - Returns: A number for ``stopTelling(_:)``.
    func whenThereIsRoom(_ observer: @escaping @Sendable () -> Void) -> Int {
      state.withLock { state in
        state.nextID += 1
        state.observers[state.nextID] = observer
        return state.nextID
      }
    }

    /// An observer or a reclaimer is told no more.
    func stopTelling(_ number: Int) {
      state.withLock { state in
        state.observers[number] = nil
        state.reclaimers[number] = nil
      }
    }

    /// Calls `reclaim` with the bytes that are missing when room is short.
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

/// All that is held is held by those who wait for more: one of them has to go, and may come back.
struct MemoryDeadlock: Error, Hashable {
  /// How many others wait.
  let waiting: Int
}

/// A decode that needs more than there is; the pipeline says of which source.
struct MemoryRefusal: Error, Hashable {
  let bytes: Int
  let limit: Int
}
