import CalotypeSupport
import FoundationEssentials
import Glibc

/// The writing half of a ``DiskCache``: makes, replaces and removes records, and keeps the index and the limits.
///
/// Whoever writes holds the lock of the folder, which the system takes from those who die. Each step leaves the
/// folder in a state that the next holder can go on from:
///
/// * A record is written to `tmp/new`, noted in the journal, and renamed into place. Who finds a note at the end of
///   the journal that somebody else made looks whether the record got its name.
/// * Room is made before a record is written, so that the limits hold at every moment. What goes is removed first and
///   noted afterwards: a note that is missing makes the books count too much, never too little.
/// * The index file is replaced by renaming, after the journal was sealed: nobody adds to one that is out of date.
///
/// Blocks; belongs to the thread of its cache.
final class DiskStore {
  let layout: CacheLayout
  let configuration: DiskCache.Configuration
  let files: any FileSystem
  let now: @Sendable () -> Date
  let timer: CacheTimer
  let index: DiskIndex
  /// Changes that flushes have to put on the device.
  let unsynced: Lock<UnsyncedChanges>
  /// Told how long the folder's lock is waited for.
  private let circuit: StoreCircuit
  /// What goes next.
  var queue = EvictionQueue()
  /// Whether a limit was passed and the low marks are not reached since.
  var isTrimming = false
  /// The search for what is too old, while one goes on.
  var sweep: Sweep?

  private var lockFile: (any SharedFile)?
  /// `nil` when the index has to be loaded.
  var journal: (any SharedFile)?
  var generation: UInt64 = 0
  /// Length of the journal, as far as the index goes.
  var offset = 0
  /// What the journal ends with, if somebody else wrote that.
  var lastChange: Journal.Change?
  /// Removals that are done and not noted yet.
  private var unnoted: [Journal.Change] = []
  /// What the lock file says of the journal, as far as we know.
  private var mark: Journal.Mark?
  /// Whether the folder for temporary files may be missing.
  private var isIncomplete = true
  /// When the index was last searched for what is too old, or began to be.
  var lastSweep: Date?
  /// Stores since a folder was last compared with the index, and which one is next.
  var storesSinceVisit = 0
  var nextVisit = 0
  /// Changes from which on the index is written anew; more than usual when that failed for lack of space.
  var compactionCount = 0

  /// What happened, for the statistics.
  var tally = Tally()

  struct Tally {
    var evicted = 0
    var expired = 0
    var rebuilds = 0
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

  /// Whether what is written must be on the device before it counts.
  var isDurable: Bool { configuration.durability == .fsync }

  /// The tally since it was last taken.
  func takeTally() -> Tally {
    defer { tally = Tally() }
    return tally
  }

  // MARK: The lock

  /// Calls `body` while this process is the one that writes, with an index that is up to date.
  ///
  /// - Parameters:
  ///   - creates: Whether the folder is made when it is not there.
  ///   - timeout: How long to wait for another process; `nil` for the time of the configuration.
  /// - Returns: `nil` when there is no folder.
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
      // What was removed is noted, whatever else failed. When that fails too, the journal counts too much.
      try? note([])
      // Others may store the same keys from now on.
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
        // Another folder may bear the name by now, and its lock is another one.
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

  /// Others hold the lock for milliseconds. One that was stopped while it did must not stop us for ever.
  private func wait(for file: any SharedFile, _ timeout: Duration) throws(FileSystemError) {
    let patience = configuration.storeTimeout
    let start = ContinuousClock.now
    var pause: useconds_t = 50
    // Told again and again: a store may have come in while the circuit opened.
    var notice = patience
    do throws(FileSystemError) {
      while try !file.tryLock() {
        let waited = ContinuousClock.now - start
        guard waited < timeout else {
          throw FileSystemError(operation: "flock", path: layout.lock, code: EWOULDBLOCK)
        }
        if waited >= notice {
          notice = waited + patience
          circuit.lockIsHeld()
        }
        // This thread belongs to the cache, and a lock that is waited for without end cannot be given up.
        usleep(pause + .random(in: 0...pause))
        pause = min(pause * 2, 5000)
      }
    } catch {
      // Who did not wait long says nothing about the next one.
      let isLong = notice > patience || timeout >= configuration.effectiveStoreTimeout
      if isLong, error.code == EWOULDBLOCK || notice > patience {
        circuit.lockWasNotTaken(isFinal: timeout >= configuration.lockTimeout)
      }
      throw error
    }
    circuit.lockWasTaken()
  }

  /// Lets go of everything that belongs to a folder which is no longer there.
  func forget() {
    lockFile = nil
    mark = nil
    isIncomplete = true
    unnoted = []
    distrust()
  }

  /// Loads the index anew before it is used again.
  func distrust() {
    journal = nil
    queue = EvictionQueue()
    lastChange = nil
    index.invalidate()
  }

  /// Makes the folders, and marks the folder as a cache unless it holds things of others.
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
      // Others that start at the same time make it too.
      guard error.code == EEXIST else { throw error }
    }
  }

  /// The folders that get a new name when the folders of the cache are made.
  private func holdersOfMissingFolders() throws(FileSystemError) -> [String] {
    var holders: [String] = []
    var path = layout.temporaries
    while path != "/", try files.status(path) == nil {
      path = CacheLayout.parent(of: path)
      holders.append(path)
    }
    return holders
  }

  /// Gives up journal and index, which the device did not take: the next one who writes lists the folder.
  func abandonIndex() throws(FileSystemError) {
    distrust()
    _ = try files.remove(layout.index)
  }

  // MARK: The journal

  /// Appends changes to the journal, behind the removals that wait for that, and makes them in the index.
  func note(_ added: [Journal.Change]) throws(FileSystemError) {
    let changes = unnoted + added
    guard !changes.isEmpty else { return }
    guard let journal else {
      // It failed before in this turn; the next one loads what there is.
      throw FileSystemError(operation: "append", path: layout.journal, code: EIO)
    }
    let data = Journal.encode(changes, generation: generation, offset: offset)
    do throws(FileSystemError) {
      // A record that readers are told to be absent is not safe.
      try journal.append(data, synchronize: isDurable)
    } catch {
      // A part of it may be there. If that cannot be taken back, the index is made anew next time.
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

  /// Makes changes in the index, which then goes as far as ``offset``.
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

  /// Takes note of a removal, which leaves the index at once and the journal in groups.
  func noteRemoval(of digest: Digest256) throws(FileSystemError) {
    // Without a journal, the index is about to be written as a whole.
    if journal != nil { unnoted.append(.remove(digest)) }
    index.change(offset: offset) { $0.remove(digest) }
    unsynced.withLock { _ = $0.records.remove(digest) }
    if unnoted.count >= 512 { try note([]) }
  }

  /// Notes what really bears the name of a record, unless it is what the journal says.
  ///
  /// - Parameters:
  ///   - entry: What the journal ends with.
  ///   - before: What was there before, if that is known.
  func settle(_ entry: IndexEntry, before: IndexEntry? = nil) throws(FileSystemError) {
    let status = try files.status(layout.record(entry.digest))
    guard let status, status.kind == .regular else { return try note([.remove(entry.digest)]) }
    var found = IndexEntry(digest: entry.digest, size: status.size, accessed: status.modified)
    // The new one, or one that is as long and was read since: who knows.
    if found.size == entry.size {
      if found.accessed == entry.accessed { return }
      found.expires = entry.expires
    }
    if let before, before.size == found.size, before.accessed == found.accessed { found = before }
    try note([.put(found)])
  }

  /// What the lock file says of the journal; `nil` when it says nothing.
  func readMark() -> Journal.Mark? {
    guard let lockFile, let bytes = try? lockFile.read(at: 0, count: Journal.Mark.length) else { return nil }
    mark = bytes.withUnsafeBytes { Journal.Mark($0) }
    return mark
  }

  /// A journal that lost its end is whole to the eye: its length is kept elsewhere too. Without it that is not seen, so
  /// that this may fail.
  private func writeMark(_ lock: any SharedFile) {
    guard journal != nil else { return }
    let current = Journal.Mark(generation: generation, end: offset)
    guard current != mark, (try? lock.overwrite(current.encoded)) != nil else { return }
    mark = current
  }
}
