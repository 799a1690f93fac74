import CalotypeSupport
import FoundationEssentials
import Glibc

/// The writing half of a ``DiskCache``: stores, replaces and removes records, and maintains the index and the limits.
///
/// A writer holds the lock of the folder, which the kernel releases when a process dies. Each step leaves the folder in
/// a state from which the next holder can continue:
///
/// * A record is written to `tmp/new`, noted in the journal, and renamed into place. A process that finds another's
///   note at the end of the journal checks whether the record got its name.
/// * Room is made before a record is written, so that the limits hold at every moment. A record is removed first and
///   noted afterwards: a missing note makes the index count too much, never too little.
/// * A record that shares its payload is written to `tmp/new` without it and noted; then the file with the payload gets its
///   second name, and the record its own. A removal begins with the second name: a record without it reads as `nil`.
///   A process that finds such a note at the end of the journal removes the second names that no record uses.
/// * The index file is replaced by renaming after the journal was sealed, so that nothing is added to an outdated
///   journal.
///
/// It blocks, and belongs to the thread of its cache.
final class DiskStore {
  let layout: CacheLayout
  let configuration: DiskCache.Configuration
  let files: any FileSystem
  let now: @Sendable () -> Date
  let timer: CacheTimer
  let index: DiskIndex
  /// Changes to synchronize in a flush.
  let unsynced: Lock<UnsyncedChanges>
  /// Decides whether stores are accepted, by the waits for the lock.
  private let circuit: StoreCircuit
  /// The next records to evict.
  var queue = EvictionQueue()
  /// Records whose payloads later ones may share.
  var payloads = PayloadTable()
  /// Whether the file system has second names, as far as is known.
  var hasLinks = true
  /// What is known about the free space of the file system.
  var space = SpaceEstimate()
  /// Whether a limit was exceeded and the low marks have not been reached since.
  var isTrimming = false
  /// The search for expired records that is in progress.
  var sweep: Sweep?

  private var lockFile: (any SharedFile)?
  /// `nil` when the index has to be loaded.
  var journal: (any SharedFile)?
  var generation: UInt64 = 0
  /// The length of the part of the journal that the index includes.
  var offset = 0
  /// The last record in the journal, if another process wrote it.
  var lastChange: Journal.Change?
  /// Removals that are done but not noted yet.
  private var unnoted: [Journal.Change] = []
  /// The last known contents of the lock file about the journal.
  private var mark: Journal.Mark?
  /// Whether the folder for temporary files may be missing.
  private var isIncomplete = true
  /// When the last search for expired records began.
  var lastSweep: Date?
  /// Stores since a folder was last compared with the index, and the next folder to compare.
  var storesSinceVisit = 0
  var nextVisit = 0
  /// The number of changes at which the index is rewritten; higher after that failed for lack of space.
  var compactionCount = 0

  /// Counts for the statistics.
  var tally = Tally()

  struct Tally {
    var evicted = 0
    var expired = 0
    var rebuilds = 0
    var shared = 0
  }

  init(
    layout: CacheLayout, configuration: DiskCache.Configuration, files: any FileSystem,
    now: @escaping @Sendable () -> Date, timer: CacheTimer, index: DiskIndex, circuit: StoreCircuit,
    unsynced: Lock<UnsyncedChanges>
  ) {
    self.unsynced = unsynced
    self.layout = layout
    self.configuration = configuration
    self.files = files
    self.now = now
    self.timer = timer
    self.index = index
    self.circuit = circuit
  }

  /// Reads records in the folder.
  var reader: RecordReader {
    RecordReader(layout: layout, configuration: configuration, files: files, now: now)
  }

  /// Whether writes must be on the device before they count.
  var isDurable: Bool { configuration.durability == .fsync }

  /// The tally since it was last taken.
  func takeTally() -> Tally {
    defer { tally = Tally() }
    return tally
  }

  // MARK: The lock

  /// Calls `body` while this process holds the lock, with an index that is up to date.
  ///
  /// - Parameters:
  ///   - creates: Whether to create a missing folder.
  ///   - timeout: How long to wait for another process; `nil` uses the configured time.
  /// - Returns: `nil` when there is no such folder.
  func withLock<Result>(
    creates: Bool, timeout: Duration? = nil, _ body: () throws(FileSystemError) -> Result
  ) throws(FileSystemError) -> Result? {
    guard let lock = try acquire(creates: creates, timeout: timeout ?? configuration.lockTimeout) else {
      return nil
    }
    defer { lock.unlock() }
    do throws(FileSystemError) {
      if isIncomplete {
        try files.makeFolder(layout.temporaries)
        isIncomplete = false
      }
      try synchronize()
    } catch {
      distrust()
      throw error
    }
    defer {
      // Removals are noted even after another failure. If that fails too, the journal counts too much.
      try? note([])
      // Other processes may store the same keys from now on.
      unnoted = []
      writeMark(lock)
    }
    return try body()
  }

  private func acquire(
    creates: Bool, timeout: Duration
  ) throws(FileSystemError) -> (any SharedFile)? {
    for _ in 0..<8 {
      let file: any SharedFile
      if let lockFile {
        file = lockFile
      } else {
        try files.checkOwner(of: layout.folder)
        try files.checkOwner(of: layout.version)
        do throws(FileSystemError) {
          file = try files.openShared(layout.lock)
        } catch {
          guard error.code == ENOENT else { throw error }
          guard creates else { return nil }
          try prepareFolder()
          file = try files.openShared(layout.lock)
        }
      }
      try wait(for: file, timeout)
      do throws(FileSystemError) {
        // Another folder may have the name by now, with another lock.
        if let status = try files.status(layout.lock), status.identity == file.status.identity {
          lockFile = file
          return file
        }
      } catch {
        file.unlock()
        throw error
      }
      file.unlock()
      forget()
    }
    throw FileSystemError(operation: "flock", path: layout.lock, code: ENOENT)
  }

  /// Other processes hold the lock for milliseconds. One that was stopped while holding it must not block this one for
  /// ever.
  ///
  /// Measured by the clock of the machine, as `usleep` is: an injected clock could not wake this thread.
  private func wait(for file: any SharedFile, _ timeout: Duration) throws(FileSystemError) {
    let patience = configuration.storeTimeout
    let start = MonotonicTime.now
    var pause: useconds_t = 50
    // Reported repeatedly: a store may have been accepted while the circuit opened.
    var notice = patience
    do throws(FileSystemError) {
      while try !file.tryLock() {
        let waited = start.duration(to: .now)
        guard waited < timeout else {
          throw FileSystemError(operation: "flock", path: layout.lock, code: EWOULDBLOCK)
        }
        if waited >= notice {
          notice = waited + patience
          circuit.lockIsHeld()
        }
        // Polled, because a blocking wait for the lock could not be given up. The thread belongs to the cache.
        usleep(pause + .random(in: 0...pause))
        pause = min(pause * 2, 5000)
      }
    } catch {
      // A short wait says nothing about the next one.
      let isLong = notice > patience || timeout >= configuration.effectiveStoreTimeout
      if isLong, error.code == EWOULDBLOCK || notice > patience {
        circuit.lockWasNotTaken(isFinal: timeout >= configuration.lockTimeout)
      }
      throw error
    }
    circuit.lockWasTaken()
  }

  /// Forgets the state of a folder that no longer exists.
  func forget() {
    lockFile = nil
    mark = nil
    isIncomplete = true
    unnoted = []
    distrust()
  }

  /// Reloads the index before its next use.
  func distrust() {
    journal = nil
    queue = EvictionQueue()
    lastChange = nil
    index.invalidate()
  }

  /// Creates the folders, and marks the folder as a cache unless it holds files of other programs.
  func prepareFolder() throws(FileSystemError) {
    let holders = try holdersOfMissingFolders()
    try files.makeFolder(layout.temporaries)
    unsynced.withLock { $0.folders.formUnion(holders) }
    if isDurable {
      for folder in holders { _ = try files.synchronize(folder) }
    }
    var isOurs = true
    try files.list(layout.folder) { name, _ in
      if !CacheLayout.ownNames.contains(name) { isOurs = false }
    }
    guard isOurs else { return }
    do throws(FileSystemError) {
      try files.create(layout.tag, parts: [Data(CacheLayout.tag.utf8)], modified: now(), synchronize: false)
    } catch {
      // Another process that starts at the same time creates it, too.
      guard error.code == EEXIST else { throw error }
    }
  }

  /// The folders that get a new entry when the folders of the cache are created.
  private func holdersOfMissingFolders() throws(FileSystemError) -> [String] {
    var holders: [String] = []
    var path = layout.temporaries
    while path != "/", try files.status(path) == nil {
      path = CacheLayout.parent(of: path)
      holders.append(path)
    }
    return holders
  }

  /// Abandons journal and index, which the device refused. The next writer lists the folder.
  func abandonIndex() throws(FileSystemError) {
    distrust()
    _ = try files.remove(layout.index)
  }

  // MARK: The journal

  /// Appends pending removals and changes to the journal, and applies the changes to the index.
  func note(_ added: [Journal.Change]) throws(FileSystemError) {
    let changes = unnoted + added
    guard !changes.isEmpty else { return }
    guard let journal else {
      // An earlier attempt in this turn failed; the next turn reloads the index.
      throw FileSystemError(operation: "append", path: layout.journal, code: EIO)
    }
    let data = Journal.encode(changes, generation: generation, offset: offset)
    do throws(FileSystemError) {
      // Readers would take this record for absent.
      try journal.append(data, synchronize: isDurable)
    } catch {
      // A part may have been written. If it cannot be truncated, the index is rebuilt next time.
      do throws(FileSystemError) {
        try journal.truncate(to: offset)
      } catch {
        distrust()
        _ = try? files.remove(layout.index)
      }
      throw error
    }
    unnoted = []
    offset += data.count
    unsynced.withLock { $0.hasBooks = true }
    apply(changes)
  }

  /// Applies changes to the index, which then includes the journal up to ``offset``.
  func apply(_ changes: [Journal.Change]) {
    index.change(offset: offset) { table in
      for change in changes {
        switch change {
        case .put(let entry): table.put(entry)
        case .remove(let digest): table.remove(digest)
        case .sealed: break
        }
      }
    }
  }

  /// Notes a removal: at once in the index, in groups in the journal.
  func noteRemoval(of digest: Digest256) throws(FileSystemError) {
    // Without a journal, the whole index is about to be written.
    if journal != nil { unnoted.append(.remove(digest)) }
    index.change(offset: offset) { $0.remove(digest) }
    unsynced.withLock { $0.forget(digest) }
    if unnoted.count >= 512 { try note([]) }
  }

  /// Corrects the index by the file that actually has the name of a record, if it differs from the journal.
  ///
  /// - Parameters:
  ///   - entry: The last record in the journal.
  ///   - before: The previous record, if it is known.
  func settle(_ entry: IndexEntry, before: IndexEntry? = nil) throws(FileSystemError) {
    let status = try files.status(layout.record(entry.digest))
    let mayShare = entry.mayShare || before?.mayShare == true
    if mayShare, let status, status.modified.microseconds == entry.accessed,
      try reader.sharedPayload(of: entry.digest)?.total == Int(entry.size)
    {
      return
    }
    let shared = mayShare ? try sweepPayloads(of: entry.digest) : 0
    guard let status, status.kind == .regular else { return try note([.remove(entry.digest)]) }
    var found = IndexEntry(digest: entry.digest, size: status.size + shared, accessed: status.modified)
    found.mayShare = shared > 0
    // The new record, or one of the same length that was read since; which of them is unknown.
    if found.size == entry.size {
      if found.accessed == entry.accessed, found.mayShare == entry.mayShare { return }
      found.expires = entry.expires
    }
    if let before, before.size == found.size, before.accessed == found.accessed { found = before }
    try note([.put(found)])
  }

  /// The length of the journal by the lock file; `nil` when it has none.
  func readMark() -> Journal.Mark? {
    guard let lockFile, let bytes = try? lockFile.read(at: 0, count: Journal.Mark.length) else { return nil }
    mark = bytes.withUnsafeBytes { Journal.Mark($0) }
    return mark
  }

  /// A journal that lost its end looks complete, so its length is also kept in the lock file. A failure only costs this
  /// check.
  private func writeMark(_ lock: any SharedFile) {
    guard journal != nil else { return }
    let current = Journal.Mark(generation: generation, end: offset)
    guard current != mark, (try? lock.overwrite(current.encoded)) != nil else { return }
    mark = current
  }
}
