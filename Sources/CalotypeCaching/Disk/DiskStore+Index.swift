import CalotypeSupport
import FoundationEssentials
import Glibc

/// Updates, reads, writes and rebuilds the index. Called within `withLock`.
extension DiskStore {
  /// Applies the changes of other processes to the index.
  func synchronize() throws(FileSystemError) {
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

  /// Applies the changes between ``offset`` and `size`.
  private func replay(
    _ journal: any SharedFile, to size: Int
  ) throws(FileSystemError) -> Replay {
    lastChange = nil
    while size - offset >= Journal.changeLength {
      // In pieces: a file with holes can be longer than memory.
      let count = min((size - offset) / Journal.changeLength, 10_000)
      let bytes = try journal.read(at: offset, count: count * Journal.changeLength)
      let changes = bytes.withUnsafeBytes { decode($0, count: count) }
      guard changes.count == count else { return .damaged }
      offset += count * Journal.changeLength
      apply(changes)
      lastChange = changes.last
      for case .sealed(let next) in changes { return .sealed(next: next) }
    }
    // A process died while it wrote the last change, which was not carried out yet.
    if offset < size { try journal.truncate(to: offset) }
    return .current
  }

  /// Reads the changes at ``offset``, up to the first damaged one.
  private func decode(_ raw: UnsafeRawBufferPointer, count: Int) -> [Journal.Change] {
    var changes: [Journal.Change] = []
    changes.reserveCapacity(count)
    for start in stride(from: 0, to: raw.count - Journal.changeLength + 1, by: Journal.changeLength) {
      let piece = UnsafeRawBufferPointer(rebasing: raw[start..<start + Journal.changeLength])
      guard let change = Journal.decode(piece, generation: generation, offset: offset + start) else { break }
      changes.append(change)
    }
    return changes
  }

  /// The process that noted the last record may have died before the record got its name or replaced the old one.
  private func checkLastChange() throws(FileSystemError) {
    guard case .put(let entry) = lastChange else { return }
    try settle(entry)
    lastChange = nil
  }

  /// Reads index and journal, or rebuilds them.
  private func load() throws(FileSystemError) {
    distrust()
    let found: Replay
    do throws(FileSystemError) {
      found = try readFiles()
    } catch {
      // Unreadable index files count as damaged; if nothing is readable, listing the folder fails.
      found = .damaged
    }
    switch found {
    case .current:
      try checkLastChange()
    case .sealed(let next):
      // A process died or failed before it completed this index file.
      try writeIndexInAnyCase(generation: next)
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
    // A truncated journal looks like a shorter one.
    if let mark = readMark(), mark.generation != generation || mark.end > journal.status.size {
      return .damaged
    }
    if journalGeneration != contents.generation {
      // Valid only if the seal of this journal names the index file that followed.
      index.replace(IndexTable(), journal: nil, offset: offset)
      guard case .sealed(contents.generation) = try replay(journal, to: journal.status.size) else {
        return .damaged
      }
      generation = contents.generation
      index.replace(contents.takeTable(), journal: nil, offset: 0)
      try useJournal(try createJournal(generation: contents.generation), generation: contents.generation)
      return .current
    }
    index.replace(contents.takeTable(), journal: nil, offset: offset)
    let state = try replay(journal, to: journal.status.size)
    guard case .current = state else { return state }
    self.journal = journal
    index.follow(journal, offset: offset)
    return .current
  }

  /// The number of changes in the journal.
  var journalCount: Int { max(0, offset - Journal.headLength) / Journal.changeLength }

  /// Rebuilds the index by listing the folder. Known facts about a record are kept if it is certainly the same record.
  func rebuild() throws(FileSystemError) {
    tally.rebuilds += 1
    queue = EvictionQueue()
    var table = IndexTable()
    try walk { entry in
      let known = index.read { $0[entry.digest] }
      guard var known, known.size == entry.size, known.accessed == entry.accessed else {
        return table.put(entry)
      }
      known.mayShare = entry.mayShare
      table.put(known)
    }
    index.replace(table, journal: nil, offset: 0)
    journal = nil
    try writeIndexInAnyCase()
  }

  /// Calls `body` for every record in the folder.
  func walk(_ body: (IndexEntry) -> Void) throws(FileSystemError) {
    for fanOut in CacheLayout.fanOut { try list(fanOut, body) }
  }

  /// Calls `body` for every record in one folder, and removes shared payloads that no record uses.
  func list(_ fanOut: String, _ body: (IndexEntry) -> Void) throws(FileSystemError) {
    do throws(FileSystemError) {
      var sharing: [Digest256: Int] = [:]
      var payloads: [Digest256: [PayloadFile]] = [:]
      var entries: [IndexEntry] = []
      try files.list(layout.fanOutFolder(fanOut)) { name, status in
        guard status.kind == .regular else { return }
        if let digest = CacheLayout.digest(fanOut: fanOut, name: name) {
          entries.append(IndexEntry(digest: digest, size: status.size, accessed: status.modified))
        } else if let digest = CacheLayout.payloadOwner(fanOut: fanOut, name: name) {
          let path = "\(layout.fanOutFolder(fanOut))/\(name)"
          payloads[digest, default: []].append(PayloadFile(path: path, size: status.size))
        }
      }
      for (digest, files) in payloads {
        sharing[digest] = try sweep(files, of: digest)
      }
      for var entry in entries {
        if let shared = sharing[entry.digest], shared > 0 {
          entry.add(shared)
          entry.mayShare = true
        }
        body(entry)
      }
    } catch {
      // A link or a file in the place of a folder holds no records.
      guard error.code == ENOTDIR || error.code == ELOOP else { throw error }
    }
  }

  /// Writes the index, and evicts records if the device has no room for it.
  private func writeIndexInAnyCase(
    generation: UInt64 = .random(in: .min ... .max)
  ) throws(FileSystemError) {
    do throws(FileSystemError) {
      try writeIndex(generation: generation)
    } catch {
      let (bytes, count) = index.read { ($0.bytes, $0.count) }
      guard error.code == ENOSPC || error.code == EDQUOT, count > 0 else { throw error }
      // No room even for the index: a tenth of the records goes.
      try evict(toBytes: bytes - max(1, bytes / 10), count: count)
      try writeIndex(generation: generation)
    }
  }

  /// Writes the present index and an empty journal.
  func writeIndex(generation next: UInt64 = .random(in: .min ... .max)) throws(FileSystemError) {
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
        try files.create(temporary, parts: [head, entries], modified: now(), synchronize: isDurable)
      }
    }
    let fresh = try createJournal(generation: next)
    if journal != nil { try note([.sealed(next: next)]) }
    journal = nil
    try put(temporary, at: layout.index)
    try useJournal(fresh, generation: next)
  }

  private func createJournal(generation: UInt64) throws(FileSystemError) -> String {
    let path = "\(layout.temporaries)/journal"
    let head = Journal.encodeHead(generation: generation)
    try files.create(path, parts: [head], modified: now(), synchronize: isDurable)
    return path
  }

  private func useJournal(_ fresh: String, generation next: UInt64) throws(FileSystemError) {
    try put(fresh, at: layout.journal)
    let journal = try files.openShared(layout.journal)
    unsynced.withLock { $0.hasBooks = true }
    generation = next
    offset = Journal.headLength
    self.journal = journal
    index.follow(journal, offset: offset)
  }

  private func put(_ temporary: String, at path: String) throws(FileSystemError) {
    do throws(FileSystemError) {
      try files.rename(temporary, to: path, synchronize: isDurable)
    } catch {
      guard error.code == EISDIR || error.code == ENOTEMPTY || error.code == EEXIST else { throw error }
      // Another program made this folder, so it is not removed.
      let aside = "\(layout.temporaries)/\(UInt64.random(in: .min ... .max))"
      try files.rename(path, to: aside, synchronize: false)
      try files.rename(temporary, to: path, synchronize: isDurable)
    }
  }
}
