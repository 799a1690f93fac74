public import CalotypeCaching
import CalotypeSupport
import FoundationEssentials

/// The log of purges in a shared storage, such as a bucket.
///
/// Call ``start()`` before the first read of a cache, and ``run()`` for as long as the node lives:
///
/// ```swift
/// let log = PurgeLog(storage: storage, configuration: .init(positionFile: folder.appending(path: "position")))
/// try await log.start()
/// async let _ = log.run()
/// let number = try await log.append(SharedPurge(.selection(.tag("news"))))
/// ```
///
/// Until it has read the storage once, it does not know which records were purged: those that this log was asked the ``position``
/// for count as valid, because their origin was asked after the start, and all others as stale. So each is asked for once, not at
/// each read, while the storage cannot be reached.
public final class PurgeLog: PurgeLogging {
  struct Book {
    var table = PurgeTable()
    /// Whether the table was read from the storage.
    var isCurrent = false
    /// The number that the disk cache has followed.
    var saved = 0
    var isConditional: Bool?
    /// Since when an entry has been missing.
    var gapStart: Duration?
    /// When the storage was last read to its end.
    var lastRead: Duration?
    var statistics = Statistics()
    var observers: [Int: @Sendable ([SharedPurge]) -> Void] = [:]
    var nextObserver = 0
  }

  let storage: any PurgeLogStoring
  let announcing: (any PurgeAnnouncing)?
  let configuration: Configuration
  let clock: any Clock<Duration>
  let elapsed: @Sendable () -> Duration
  let book: Lock<Book>
  let positionFile: PositionFile?
  /// The position of records from before the storage was read: of this log alone, and of no entry.
  private let provisionalPosition = -Int.random(in: 1...(1 << 62))
  /// One change of the table at a time.
  private let turn = AsyncMutex()
  private let announced: AsyncStream<Int>

  /// Creates a log. It does nothing yet.
  ///
  /// - Parameters:
  ///   - storage: The storage of the entries.
  ///   - announcing: Tells nodes of new entries at once.
  ///   - configuration: The settings.
  ///   - clock: The clock of polls and pauses.
  public convenience init(
    storage: any PurgeLogStoring, announcing: (any PurgeAnnouncing)? = nil,
    configuration: Configuration = Configuration(), clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.init(
      storage: storage, announcing: announcing, configuration: configuration, clock: clock, limits: .init())
  }

  init(
    storage: any PurgeLogStoring, announcing: (any PurgeAnnouncing)?, configuration: Configuration,
    clock: any Clock<Duration>, limits: PurgeTable.Limits
  ) {
    self.storage = storage
    self.announcing = announcing
    self.configuration = configuration
    self.clock = clock
    elapsed = clock.stopwatch
    book = Lock(Book(table: PurgeTable(limits: limits)))
    positionFile = configuration.positionFile.map { PositionFile($0.path) }
    // A dropped announcement leaves a gap, which is found.
    let (stream, continuation) = AsyncStream.makeStream(
      of: Int.self, bufferingPolicy: .bufferingNewest(1_024))
    announced = stream
    announcing?.receive { continuation.yield($0) }
  }

  /// The figures of the log.
  public var statistics: Statistics {
    book.withLock { book in
      var statistics = book.statistics
      (statistics.selections, statistics.bytes) = (book.table.count, book.table.byteCount)
      return statistics
    }
  }

  /// The number of the last applied entry. Before the storage was read, a negative number that no other log has.
  public var position: Int { book.withLock { $0.isCurrent ? $0.table.position : provisionalPosition } }

  /// The number of the last applied entry, also while more are being read for the first time.
  var applied: Int { book.withLock { $0.table.position } }

  /// Whether the storage was read at least once.
  public var isCurrent: Bool { book.withLock { $0.isCurrent } }

  /// The time since the storage was last read to its end; `nil` before the first time. Purges of other nodes that were not
  /// announced take effect here with the next read.
  public var age: Duration? {
    let now = elapsed()
    return book.withLock { book in book.lastRead.map { max(.zero, now - $0) } }
  }

  /// Returns whether a record may be used. Until the storage was read, at best `stale`, unless its position is that of this log.
  public func verdict(source: String, tags: [String], at position: Int?) -> PurgeVerdict {
    let (verdict, isCurrent) = book.withLock { book in
      (book.table.verdict(source: source, tags: tags, at: position), book.isCurrent)
    }
    return verdict == .valid && !isCurrent && position != provisionalPosition ? .stale : verdict
  }

  /// Registers a function; register it before ``start()``, to hear of the entries that a node has slept through.
  public func observe(_ body: @escaping @Sendable ([SharedPurge]) -> Void) -> PurgeObservation {
    let id = book.withLock { book in
      book.nextObserver += 1
      book.observers[book.nextObserver] = body
      return book.nextObserver
    }
    return PurgeObservation { [weak self] in self?.book.withLock { _ = $0.observers.removeValue(forKey: id) }
    }
  }

  /// Reads the snapshot and what follows it.
  ///
  /// - Throws: The errors of the storage. ``run()`` tries again.
  public func start() async throws(CachingError) {
    try await exclusively { () async throws(CachingError) in
      let saved = await self.positionFile?.load() ?? 0
      self.book.withLock { $0.saved = max($0.saved, saved) }
      try await self.catchUp(readsSnapshot: true)
    }
  }

  /// Applies the entries of other nodes until the task is cancelled.
  public func run() async {
    await withTaskGroup { group in
      group.addTask {
        for await number in self.announced { await self.hear(number) }
      }
      group.addTask {
        while !Task.isCancelled {
          await self.poll()
          try? await self.clock.sleep(for: self.pause)
        }
      }
    }
  }

  private var pause: Duration {
    configuration.pollInterval * Double.random(in: 0.8...1.2)
  }

  /// Looks for new entries once.
  func poll() async {
    do throws(CachingError) {
      try await exclusively { () async throws(CachingError) in
        try await self.catchUp(readsSnapshot: !self.isCurrent)
      }
    } catch {
      book.withLock { $0.statistics.failedPolls += 1 }
    }
  }

  /// Reads an announced entry, and what is missing before it. The announcement itself is a hint: others may write to Redis, also by
  /// mistake.
  func hear(_ number: Int) async {
    guard isCurrent, number > applied else { return }
    try? await exclusively { () async throws(CachingError) in
      let applied = self.applied
      guard number > applied else { return }
      if number == applied + 1 {
        guard let entry = try await self.storage.entry(at: number) else { return }
        self.apply([(number, PurgeEntryCoding.decode(entry))])
      } else {
        try await self.catchUp(readsSnapshot: false)
      }
    }
  }

  /// Appends an entry; other nodes apply it when it is announced, or with their next poll.
  public func append(_ purge: SharedPurge) async throws(CachingError) -> Int {
    let entry = try PurgeEntryCoding.encode(purge)
    return try await exclusively { () async throws(CachingError) in
      if !self.isCurrent { try await self.catchUp(readsSnapshot: true) }
      let number =
        try await self.isConditional()
        ? self.write(entry) : self.writeNumbered(entry)
      self.apply([(number, purge)], isOwn: true)
      await self.announcing?.announce(number)
      await self.writeSnapshot(after: number)
      return number
    }
  }

  /// Runs one change at a time.
  private func exclusively<Result: Sendable>(
    _ body: @Sendable () async throws(CachingError) -> Result
  ) async throws(CachingError) -> Result {
    do {
      return try await turn.run(body)
    } catch let error as CachingError {
      throw error
    } catch {
      throw .cancelled
    }
  }
}
