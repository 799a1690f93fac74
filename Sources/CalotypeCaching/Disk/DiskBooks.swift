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
final class DiskBooks {
  let layout: CacheLayout
  let configuration: DiskCache.Configuration
  let files: any CacheFileSystem
  let now: @Sendable () -> Date
  let index: DiskIndex

  private var lockFile: (any CacheSharedFile)?
  private var journal: (any CacheSharedFile)?
  private var generation: UInt64 = 0
  /// Length of the journal, as far as the index goes.
  private var offset = 0
  /// Removals that are done and not noted yet.
  private var unnoted: [Journal.Change] = []
  /// When the index was last searched for what is too old.
  var lastSweep: Date?
  /// Stores since a folder was last compared with the index, and which one is next.
  var storesSinceVisit = 0
  var nextVisit = 0

  /// What happened, for the statistics.
  var tally = Tally()

  struct Tally {
    var evicted = 0
    var expired = 0
    var rebuilds = 0
  }

  init(
    layout: CacheLayout, configuration: DiskCache.Configuration, files: any CacheFileSystem,
    now: @escaping @Sendable () -> Date, index: DiskIndex
  ) {
    self.layout = layout
    self.configuration = configuration
    self.files = files
    self.now = now
    self.index = index
  }

  /// The tally since it was last taken.
  func takeTally() -> Tally {
    defer { tally = Tally() }
    return tally
  }

  // MARK: The lock

  /// Calls `body` while this process is the one that writes, with an index that is up to date.
  ///
  /// - Parameter creates: Whether the folder is made when it is not there.
  /// - Returns: `nil` when there is no folder.
  func withLock<Result>(
    creates: Bool, _ body: () throws(FileSystemError) -> Result
  ) throws(FileSystemError) -> Result? {
    guard let lock = try acquire(creates: creates) else { return nil }
    defer { lock.unlock() }
    do throws(FileSystemError) {
      try synchronize()
    } catch {
      journal = nil
      index.invalidate()
      throw error
    }
    // What was removed is noted, whatever else failed. When that fails too, the journal counts too much.
    defer { try? noteRemovals() }
    return try body()
  }

  private func acquire(creates: Bool) throws(FileSystemError) -> (any CacheSharedFile)? {
    for _ in 0..<8 {
      let file: any CacheSharedFile
      if let lockFile {
        file = lockFile
      } else {
        do throws(FileSystemError) {
          file = try files.openShared(layout.lock)
        } catch {
          guard error.code == ENOENT else { throw error }
          guard creates else { return nil }
          try prepareFolder()
          file = try files.openShared(layout.lock)
        }
      }
      try wait(for: file)
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
  private func wait(for file: any CacheSharedFile) throws(FileSystemError) {
    let deadline = ContinuousClock.now + configuration.lockTimeout
    var pause: useconds_t = 50
    while try !file.tryLock() {
      guard ContinuousClock.now < deadline else {
        throw FileSystemError(operation: "flock", path: layout.lock, code: EWOULDBLOCK)
      }
      // This thread belongs to the cache, and a lock that is waited for without end cannot be given up.
      usleep(pause + .random(in: 0...pause))
      pause = min(pause * 2, 5000)
    }
  }

  /// Lets go of everything that belongs to a folder which is no longer there.
  func forget() {
    lockFile = nil
    journal = nil
    unnoted = []
    index.invalidate()
  }

  /// Makes the folders, and marks the folder as a cache unless it holds things of others.
  func prepareFolder() throws(FileSystemError) {
    try files.makeFolder(layout.temporaries)
    var isOurs = true
    try files.list(layout.folder) { name, _ in
      if !CacheLayout.ownNames.contains(name) { isOurs = false }
    }
    guard isOurs else { return }
    try files.create(layout.tag, parts: [Data(CacheLayout.tag.utf8)], modified: now(), synchronize: false)
  }

  // MARK: The index

  /// Brings the index up to what others did.
  private func synchronize() throws(FileSystemError) {
    if let journal {
      let status = try journal.currentStatus()
      if status.isLinked {
        if status.size == offset { return }
        if status.size > offset, try replay(journal, to: status.size) == .current {
          try checkLastChange()
          return
        }
      }
    }
    try load()
  }

  private enum Replay: Equatable {
    case current
    case sealed(next: UInt64)
    case damaged
  }

  private var lastChange: Journal.Change?

  /// Applies the changes between ``offset`` and `size`.
  private func replay(
    _ journal: any CacheSharedFile, to size: Int
  ) throws(FileSystemError) -> Replay {
    let whole = (size - offset) / Journal.changeLength * Journal.changeLength
    let bytes = try journal.read(at: offset, count: whole)
    var changes: [Journal.Change] = []
    changes.reserveCapacity(whole / Journal.changeLength)
    let isWhole = bytes.withUnsafeBytes { raw -> Bool in
      guard raw.count == whole else { return false }
      for start in stride(from: 0, to: whole, by: Journal.changeLength) {
        let piece = UnsafeRawBufferPointer(rebasing: raw[start..<start + Journal.changeLength])
        guard let change = Journal.decode(piece, generation: generation, offset: offset + start) else {
          return false
        }
        changes.append(change)
      }
      return true
    }
    guard isWhole else { return .damaged }
    // Somebody died while it wrote the last one, which nothing was done about yet.
    if offset + whole < size { try journal.truncate(to: offset + whole) }
    offset += whole
    var next: UInt64?
    index.change(offset: offset) { table in
      for change in changes {
        switch change {
        case .put(let entry): table.put(entry)
        case .remove(let digest): table.remove(digest)
        case .sealed(let generation): next = generation
        }
      }
    }
    lastChange = changes.last
    return next.map { .sealed(next: $0) } ?? .current
  }

  /// Whoever noted the last record may have died before it had its name, or before the old one was replaced.
  private func checkLastChange() throws(FileSystemError) {
    guard case .put(let entry) = lastChange else { return }
    lastChange = nil
    let status = try files.status(layout.record(entry.digest))
    guard status?.size != Int(entry.size) else { return }
    if let status, status.kind == .regular {
      try note([.put(IndexEntry(digest: entry.digest, size: status.size, accessed: status.modified))])
    } else {
      try note([.remove(entry.digest)])
    }
  }

  /// Appends changes to the journal and makes them in the index.
  func note(_ changes: [Journal.Change]) throws(FileSystemError) {
    guard !changes.isEmpty else { return }
    guard let journal else {
      // It failed before in this turn; the next one lists the folder.
      throw FileSystemError(operation: "append", path: layout.journal, code: EIO)
    }
    let data = Journal.encode(changes, generation: generation, offset: offset)
    do throws(FileSystemError) {
      try journal.append(data)
    } catch {
      // A part of it may be there. If that cannot be taken back, the index is made anew next time.
      do throws(FileSystemError) {
        try journal.truncate(to: offset)
      } catch {
        self.journal = nil
        _ = try? files.remove(layout.index)
      }
      throw error
    }
    offset += data.count
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

  /// Notes what was removed, which leaves the index at once and the journal in groups.
  private func noteRemovals() throws(FileSystemError) {
    guard !unnoted.isEmpty else { return }
    let changes = unnoted
    unnoted = []
    try note(changes)
  }

  func noteRemoval(of digest: Digest256) throws(FileSystemError) {
    // Without a journal, the index is about to be written as a whole.
    if journal != nil { unnoted.append(.remove(digest)) }
    index.change(offset: offset) { $0.remove(digest) }
    if unnoted.count >= 512 { try noteRemovals() }
  }

  /// Reads index and journal, or makes them anew.
  private func load() throws(FileSystemError) {
    journal = nil
    lastChange = nil
    index.invalidate()
    let found: Replay
    do throws(FileSystemError) {
      found = try readFiles()
    } catch {
      // Files of ours that cannot be read are as good as damaged; if nothing can, listing the folder says so.
      found = .damaged
    }
    switch found {
    case .current:
      try checkLastChange()
    case .sealed:
      // Somebody died, or failed, on the way to the next index file.
      try writeIndex()
    case .damaged:
      try rebuild()
    }
  }

  private func readFiles() throws(FileSystemError) -> Replay {
    guard let file = try files.open(layout.index), var contents = try IndexFile.read(file) else {
      return .damaged
    }
    let journal = try files.openShared(layout.journal)
    let head = try journal.read(at: 0, count: Journal.headLength)
    guard let journalGeneration = head.withUnsafeBytes({ Journal.decodeHead($0) }) else { return .damaged }
    generation = journalGeneration
    offset = Journal.headLength
    if journalGeneration != contents.generation {
      // Right only if this is the journal whose seal names the index file that has come since.
      index.replace(IndexTable(), journal: nil, offset: offset)
      guard case .sealed(contents.generation) = try replay(journal, to: journal.status.size) else {
        return .damaged
      }
      generation = contents.generation
      index.replace(contents.takeTable(), journal: nil, offset: 0)
      try writeJournal(named: contents.generation)
      return .current
    }
    index.replace(contents.takeTable(), journal: nil, offset: offset)
    let state = try replay(journal, to: journal.status.size)
    guard case .current = state else { return state }
    self.journal = journal
    index.follow(journal, offset: offset)
    return .current
  }

  /// How many changes the journal has.
  var journalCount: Int { max(0, offset - Journal.headLength) / Journal.changeLength }

  /// Lists the folder and starts from what is there. What is known of a record from before stays known.
  func rebuild() throws(FileSystemError) {
    tally.rebuilds += 1
    var table = IndexTable()
    try walk { entry in
      var entry = entry
      if let known = index.read({ $0[entry.digest] }), known.size == entry.size {
        (entry.source, entry.tags, entry.expires) = (known.source, known.tags, known.expires)
      }
      table.put(entry)
    }
    index.replace(table, journal: nil, offset: 0)
    journal = nil
    do throws(FileSystemError) {
      try writeIndex()
    } catch {
      let (bytes, count) = index.read { ($0.bytes, $0.count) }
      guard error.code == ENOSPC || error.code == EDQUOT, count > 0 else { throw error }
      // Not even room for the list: a tenth of the records goes.
      try evict(toBytes: bytes - max(1, bytes / 10), count: count)
      try writeIndex()
    }
  }

  /// Calls `body` for all records there are.
  func walk(_ body: (IndexEntry) -> Void) throws(FileSystemError) {
    for fanOut in CacheLayout.fanOut { try list(fanOut, body) }
  }

  func list(_ fanOut: String, _ body: (IndexEntry) -> Void) throws(FileSystemError) {
    do throws(FileSystemError) {
      try files.list(layout.fanOutFolder(fanOut)) { name, status in
        guard status.kind == .regular, let digest = CacheLayout.digest(fanOut: fanOut, name: name) else {
          return
        }
        body(IndexEntry(digest: digest, size: status.size, accessed: status.modified))
      }
    } catch {
      // A link or file in the place of a folder holds nothing of ours.
      guard error.code == ENOTDIR || error.code == ELOOP else { throw error }
    }
  }

  /// Writes the index as it is now, and an empty journal.
  func writeIndex() throws(FileSystemError) {
    let next = UInt64.random(in: .min ... .max)
    let temporary = "\(layout.temporaries)/index"
    try index.reading { table throws(FileSystemError) in
      try table.withUnsafeBytes { raw throws(FileSystemError) in
        let head = IndexFile.encodeHead(
          IndexFile.Head(generation: next, count: table.count, checksum: Checksum(of: raw).value))
        // Only for the duration of the call.
        let entries =
          raw.baseAddress.map {
            Data(
              bytesNoCopy: UnsafeMutableRawPointer(mutating: $0), count: raw.count, deallocator: .none)
          } ?? Data()
        try files.create(temporary, parts: [head, entries], modified: now(), synchronize: false)
      }
    }
    let fresh = "\(layout.temporaries)/journal"
    try files.create(
      fresh, parts: [Journal.encodeHead(generation: next)], modified: now(), synchronize: false)
    if journal != nil { try note([.sealed(next: next)]) }
    journal = nil
    try files.rename(temporary, to: layout.index, synchronize: false)
    try files.rename(fresh, to: layout.journal, synchronize: false)
    try openJournal(generation: next)
  }

  private func writeJournal(named next: UInt64) throws(FileSystemError) {
    let fresh = "\(layout.temporaries)/journal"
    try files.create(
      fresh, parts: [Journal.encodeHead(generation: next)], modified: now(), synchronize: false)
    try files.rename(fresh, to: layout.journal, synchronize: false)
    try openJournal(generation: next)
  }

  private func openJournal(generation next: UInt64) throws(FileSystemError) {
    let journal = try files.openShared(layout.journal)
    generation = next
    offset = Journal.headLength
    self.journal = journal
    index.follow(journal, offset: offset)
  }
}
