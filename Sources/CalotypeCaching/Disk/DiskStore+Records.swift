import CalotypeSupport
import FoundationEssentials
import Glibc

/// Stores and removes single records. Called within `withLock`.
extension DiskStore {
  /// Stores a record, after making room for it.
  ///
  /// - Parameter evicts: Whether others may be evicted for it. If not, the caller has checked the limits.
  func store(
    _ data: Data, header: Data, entry: IndexEntry, time: Date, evicts: Bool = true
  ) throws(FileSystemError) {
    let (header, entry) = aged(header, entry)
    var twin = evicts ? twin(of: data, header: header, for: entry.digest) : nil
    // A shared payload counts in full: the other record may go at any time.
    let size = max(Int(entry.size), twin.map { header.count + $0.size } ?? 0)
    let isNew = index.read { $0[entry.digest] == nil }
    if evicts {
      // The old record and the new one exist side by side for a moment.
      try makeRoom(bytes: size, count: isNew ? 1 : 0)
      if let evicted = twin, index.read({ $0[evicted.owner] == nil }) {
        // Another record may share its file.
        twin = self.twin(of: data, header: header, for: entry.digest).flatMap {
          header.count + $0.size <= size ? $0 : nil
        }
      }
      try keepSpaceFree(for: twin == nil ? size : header.count)
    }
    var isShared = false
    // Other programs may have filled the device, and may use what becomes free.
    var attempts = evicts ? Self.attempts : 1
    while true {
      do throws(FileSystemError) {
        isShared = try write(data, header: header, entry: entry, time: time, twin: twin)
        break
      } catch {
        attempts -= 1
        guard attempts > 0, error.isFullDevice, try freeSpace(for: size) else { throw error }
        twin = nil
      }
    }
    storesSinceVisit += 1
    guard configuration.sharesPayloads, data.count >= configuration.sharedPayloadBytes else { return }
    payloads.note(
      PayloadTable.Key(checksum: RecordHeader.payloadChecksum(in: header).value, length: data.count),
      of: entry.digest, sharedWith: isShared ? twin?.owner : nil)
  }

  /// Evicts what a record of `size` bytes needs, and some more.
  ///
  /// - Returns: Whether anything was evicted.
  private func freeSpace(for size: Int) throws(FileSystemError) -> Bool {
    let (bytes, count) = index.read { ($0.bytes, $0.count) }
    guard count > 0 else { return false }
    let freed = try evict(toBytes: max(0, bytes - size), count: count)
    let more = try evict(toBytes: max(0, bytes - size - (64 << 10)), count: count, atMost: Self.stepCount)
    return freed + more > 0
  }

  /// Writes a record, with the payload of its twin or, if that cannot be shared, with its own.
  ///
  /// - Returns: Whether it shares the payload.
  private func write(
    _ data: Data, header: Data, entry: IndexEntry, time: Date, twin: Twin?
  ) throws(FileSystemError) -> Bool {
    if let twin {
      var shared = entry
      shared.size = Int64(clamping: header.count + twin.size)
      shared.mayShare = true
      do throws(FileSystemError) {
        try place([RecordHeader.shared(header)], entry: shared, time: time, twin: twin)
        space.use(header.count)
        tally.shared += 1
        return true
      } catch {
        guard error.operation == Self.linking else { throw error }
        // The twin may have been evicted, have all the names that it can have, or be where there are no second names.
        try keepSpaceFree(for: Int(entry.size))
      }
    }
    try place([header, data], entry: entry, time: time, twin: nil)
    space.use(Int(entry.size))
    return false
  }

  /// Gives a record the age of the one it replaces, if ages count from the first store.
  private func aged(_ header: Data, _ entry: IndexEntry) -> (Data, IndexEntry) {
    // A record that is too old, damaged or unreadable counts as absent.
    guard configuration.ageOrigin == .firstStore, let old = try? reader.storedEntry(entry.digest)?.entry,
      old.metadata.expires.map({ $0 > now() }) ?? true,
      configuration.storedExpiry(of: old.created).map({ $0 > now() }) ?? true
    else { return (header, entry) }
    var (header, entry) = (header, entry)
    RecordHeader.setCreated(old.created, in: &header)
    entry.expire(at: configuration.storedExpiry(of: old.created))
    return (header, entry)
  }

  /// Writes a file, and gives it the name of its record.
  private func place(
    _ parts: [Data], entry: IndexEntry, time: Date, twin: Twin?
  ) throws(FileSystemError) {
    let synchronize = isDurable
    let path = layout.record(entry.digest)
    let before = index.read { $0[entry.digest] }
    // A record that a flush has confirmed stays until the new one is on the device. This also holds if it was replaced
    // since, because the new name may not be on the device yet.
    let mayBeConfirmed = before != nil && unsynced.withLock { $0.isFlushed }
    let former = try formerPayloads(
      of: before, keeping: twin.map { layout.payload(entry.digest, $0.checksum) })
    let noted = Self.noted(entry, former)
    try files.create(
      layout.temporary, parts: parts, modified: time, synchronize: synchronize || mayBeConfirmed)
    var isNoted = false
    do throws(FileSystemError) {
      try note([.put(noted)])
      isNoted = true
      if let twin {
        try link(twin, for: entry.digest)
        if synchronize || mayBeConfirmed {
          _ = try files.synchronize(layout.payload(entry.digest, twin.checksum))
          if before != nil { _ = try files.synchronize(layout.fanOutFolder(of: entry.digest)) }
        }
      }
      do throws(FileSystemError) {
        try files.rename(layout.temporary, to: path, synchronize: synchronize)
      } catch {
        // Usually because this is the first record of its folder.
        guard error.code == ENOENT else { throw error }
        try files.makeFolder(layout.fanOutFolder(of: entry.digest))
        if synchronize { _ = try files.synchronize(layout.version) }
        try files.rename(layout.temporary, to: path, synchronize: synchronize)
      }
    } catch {
      _ = try? files.remove(layout.temporary)
      if isNoted {
        do throws(FileSystemError) {
          try settle(noted, before: before)
        } catch {
          // The next process that loads the journal checks its end.
          distrust()
        }
      }
      throw error
    }
    if !synchronize { unsynced.withLock { $0.store(entry.digest, sharing: twin?.checksum) } }
    if !former.isEmpty { discard(former, of: entry, isConfirmed: mayBeConfirmed && !synchronize) }
  }

  /// Removes a record.
  ///
  /// - Returns: Whether there was one.
  func remove(_ digest: Digest256) throws(FileSystemError) -> Bool {
    if let entry = index.read({ $0[digest] }), entry.mayShare { try removePayloads(of: entry) }
    let existed = try files.remove(layout.record(digest))
    unsynced.withLock { $0.remove(digest) }
    if index.read({ $0[digest] != nil }) { try noteRemoval(of: digest) }
    return existed
  }

  /// Removes an unusable file, unless a new file has its name by now.
  ///
  /// - Returns: Whether it was removed.
  func discard(_ digest: Digest256, seen: FileStatus) throws(FileSystemError) -> Bool {
    guard let status = try files.status(layout.record(digest)) else {
      if index.read({ $0[digest] != nil }) { try noteRemoval(of: digest) }
      return false
    }
    guard status.identity == seen.identity, status.modified == seen.modified, status.size == seen.size else {
      return false
    }
    return try remove(digest)
  }

  // MARK: Upkeep

  /// Runs a step of the periodic work: after stores, and between them while ``hasUpkeep``.
  func keepUp() throws(FileSystemError) {
    try sweepSome()
    prepareEviction()
    if storesSinceVisit >= Self.visitInterval {
      storesSinceVisit = 0
      try visit(CacheLayout.fanOut[nextVisit])
      nextVisit = (nextVisit + 1) % CacheLayout.fanOut.count
    }
    let due = max(configuration.journalCount, index.read { $0.count } / 4, compactionCount)
    guard journalCount > due else { return }
    // A device without room for the index is not tried again after each store.
    compactionCount = journalCount * 2
    try writeIndex()
    compactionCount = 0
  }

  /// Whether upkeep remains, for which no caller waits.
  var hasUpkeep: Bool { isTrimming || sweep != nil }

  private static var visitInterval: Int { 4096 }

  /// Compares one folder with the index: a crash of the machine may leave records that were not noted, and users may
  /// remove files.
  private func visit(_ fanOut: String) throws(FileSystemError) {
    var found: [IndexEntry] = []
    try list(fanOut) { found.append($0) }
    let first = UInt64(fanOut, radix: 16)
    let changes = index.read { table -> [Journal.Change] in
      var missing: Set<Digest256> = []
      table.forEach { if $0.digest.word0 >> 56 == first { missing.insert($0.digest) } }
      var changes: [Journal.Change] = []
      for entry in found {
        missing.remove(entry.digest)
        let known = table[entry.digest]
        if known?.size != entry.size || known?.mayShare != entry.mayShare { changes.append(.put(entry)) }
      }
      return changes + missing.map { .remove($0) }
    }
    try note(changes)
    try makeRoom(bytes: 0, count: 0)
  }

  /// Compares all folders with the index, and applies the limits.
  func reconcile() throws(FileSystemError) -> DiskCache.TrimReport {
    var report = DiskCache.TrimReport()
    report.staleTemporaries = try removeTemporaries()
    try rebuild()
    let before = index.read { $0.bytes }
    let earlier = tally
    try sweepAll()
    try makeRoom(bytes: 0, count: 0)
    while isTrimming { try trimSome() }
    (report.bytes, report.count) = index.read { ($0.bytes, $0.count) }
    report.expired = tally.expired - earlier.expired
    report.evicted = tally.evicted - earlier.evicted
    report.freedBytes = before - report.bytes
    return report
  }

  /// Only the holder of the lock writes here: any file was left by a process that died.
  private func removeTemporaries() throws(FileSystemError) -> Int {
    var names: [String] = []
    try files.list(layout.temporaries) { name, status in
      if status.kind != .folder { names.append(name) }
    }
    var removed = 0
    for name in names where try files.remove("\(layout.temporaries)/\(name)") { removed += 1 }
    return removed
  }

  /// Removes all records.
  ///
  /// - Returns: The number of removed records.
  func removeAll() throws(FileSystemError) -> Int {
    _ = try removeTemporaries()
    var entries: [IndexEntry] = []
    try walk { entries.append($0) }
    var removed = 0
    for entry in entries where try removeFiles(of: entry) { removed += 1 }
    unsynced.withLock { unsynced in for entry in entries { unsynced.remove(entry.digest) } }
    index.replace(IndexTable(), journal: nil, offset: 0)
    isTrimming = false
    sweep = nil
    try writeIndex()
    return removed
  }
}
