import CalotypeSupport
import Glibc

extension DiskCache {
  /// Removes the records of a selection, in all their variants.
  ///
  /// - Returns: How many there were.
  /// - Complexity: Looks at the header of each record that may be meant: those of the source and hardly any other, or a
  ///   thirtieth of all for a tag, or all for a prefix.
  /// - Throws: ``CachingError``; ``CachingError/cancelled`` when the task is, and some may be removed then.
  @discardableResult
  public nonisolated func removeAll(_ selection: CacheSelection) async throws(CachingError) -> Int {
    let suspects =
      try await onThreadCounted { cache throws(CachingError) -> [Digest256]? in
        cache.writeStaged()
        return try cache.withBooks(creates: false) { books throws(FileSystemError) in
          books.index.read { table -> [Digest256] in
            var suspects: [Digest256] = []
            table.forEach { if $0.mayBe(in: selection) { suspects.append($0.digest) } }
            return suspects
          }
        }
      } ?? []
    var removed = 0
    let reader = reader
    for start in stride(from: 0, to: suspects.count, by: Self.headersAtOnce) {
      let batch = suspects[start..<min(start + Self.headersAtOnce, suspects.count)]
      let meant = try await survey { () throws(CachingError) in
        var meant: [(digest: Digest256, status: FileStatus)] = []
        for digest in batch {
          guard let (entry, status) = try reader.entry(digest) else { continue }
          if selection.contains(source: entry.source, tags: entry.metadata.tags) {
            meant.append((digest, status))
          }
        }
        return meant
      }
      guard !meant.isEmpty else { continue }
      removed +=
        try await onThreadCounted { cache throws(CachingError) -> Int? in
          try cache.withBooks(creates: false) { books throws(FileSystemError) in
            var removed = 0
            // What was stored meanwhile stays.
            for record in meant where try books.discard(record.digest, seen: record.status) { removed += 1 }
            return removed
          }
        } ?? 0
    }
    return removed
  }

  /// Removes all records. Files that are not of the cache stay.
  ///
  /// - Returns: How many there were.
  /// - Throws: ``CachingError``; ``CachingError/cancelled`` when the task is, and they may be removed all the same.
  @discardableResult
  public nonisolated func removeAll() async throws(CachingError) -> Int {
    try await onThreadCounted { cache throws(CachingError) -> Int? in
      cache.writeStaged()
      return try cache.withBooks(creates: false) { books throws(FileSystemError) in try books.removeAll() }
    } ?? 0
  }

  /// Compares the folder with the index, removes records that are too old and files that somebody left who died
  /// while writing, and evicts if a limit is passed. Stores see to the limits by themselves; this is for folders that
  /// others may have changed.
  ///
  /// - Throws: ``CachingError``; ``CachingError/cancelled`` when the task is, and it may be done all the same.
  @discardableResult
  public nonisolated func trim() async throws(CachingError) -> DiskCache.TrimReport {
    try await onThreadCounted { cache throws(CachingError) -> DiskCache.TrimReport? in
      cache.writeStaged()
      // The report is to tell of everything that goes.
      return try cache.withBooks(creates: false, makesRoom: false) { books throws(FileSystemError) in
        try books.reconcile()
      }
    } ?? DiskCache.TrimReport()
  }

  /// Reads every byte of every record, removes the damaged ones and makes the index anew; no access to the others.
  ///
  /// - Parameter progress: Called now and then with the records that were looked at, and the bytes of the intact ones.
  public nonisolated func verify(
    progress: (_ records: Int, _ bytes: Int) -> Void = { _, _ in }
  ) async throws(CachingError) -> DiskCache.VerifyReport {
    try await onThread { $0.writeStaged() }
    var report = DiskCache.VerifyReport()
    let reader = reader
    for fanOut in CacheLayout.fanOut {
      let digests = try await survey { () throws(CachingError) in try reader.digests(fanOut) }
      // One visit to the thread a batch, so that others get their turn and cancellation is noticed.
      for start in stride(from: 0, to: digests.count, by: Self.headersAtOnce) {
        let batch = digests[start..<min(start + Self.headersAtOnce, digests.count)]
        let verdicts = try await survey { () throws(CachingError) in
          var verdicts: [(Digest256, RecordReader.Verdict)] = []
          for digest in batch { verdicts.append((digest, try reader.verify(digest))) }
          return verdicts
        }
        for (digest, verdict) in verdicts {
          switch verdict {
          case .intact(let size):
            report.intact += 1
            report.bytes += size
          case .damaged(let path, let status):
            report.damaged.append(path)
            try await onThread { $0.discard([digest: status]) }
          case .gone:
            continue
          }
        }
        progress(report.intact + report.damaged.count, report.bytes)
      }
    }
    let count = report.damaged.count
    counters.withLock { $0.damaged += count }
    do throws(CachingError) {
      try await onThread { cache throws(CachingError) in
        _ = try cache.withBooks(creates: false) { books throws(FileSystemError) in try books.reconcile() }
      }
    } catch {
      // A folder that may only be read has been verified all the same.
      guard error.isAboutWriting else { throw error }
    }
    return report
  }

  /// What the cache holds and did. While another process keeps the folder locked, the files are counted instead.
  public nonisolated func statistics() async throws(CachingError) -> DiskCache.Statistics {
    let held: (bytes: Int, count: Int)
    do throws(CachingError) {
      held = try await onThread { cache throws(CachingError) in try cache.census() }
    } catch {
      guard error.isAboutWriting else {
        if error != .cancelled { count(error) }
        throw error
      }
      let reader = reader
      held = try await survey { () throws(CachingError) in try reader.census() }
    }
    var result = counters.withLock { $0 }
    (result.bytes, result.count) = held
    result.stagedBytes = staging.bytes
    result.byteLimit = configuration.byteLimit
    result.countLimit = configuration.countLimit
    result.isCircuitOpen = circuit.isOpen
    result.isReadCircuitOpen = readers.isStalled
    return result
  }

  /// Length and number of all records, by the index.
  private func census() throws(CachingError) -> (bytes: Int, count: Int) {
    // There is another way to know.
    let timeout = configuration.effectiveStoreTimeout
    return try withBooks(creates: false, timeout: timeout) { books throws(FileSystemError) in
      books.index.read { ($0.bytes, $0.count) }
    } ?? (0, 0)
  }

  /// Lists the records, least recently used first, and is no access to them. Damaged ones are left out.
  ///
  /// - Complexity: Reads the header of each record; the whole list is in memory.
  public nonisolated func entries() async throws(CachingError) -> [DiskCache.Entry] {
    try await onThread { $0.writeStaged() }
    let reader = reader
    try await survey { () throws(CachingError) in try reader.checkFolders() }
    var entries: [DiskCache.Entry] = []
    for fanOut in CacheLayout.fanOut {
      let digests = try await survey { () throws(CachingError) in try reader.digests(fanOut) }
      for start in stride(from: 0, to: digests.count, by: Self.headersAtOnce) {
        let batch = digests[start..<min(start + Self.headersAtOnce, digests.count)]
        entries += try await survey { () throws(CachingError) in
          var entries: [DiskCache.Entry] = []
          for digest in batch {
            if let (entry, _) = try reader.entry(digest) { entries.append(entry) }
          }
          return entries
        }
      }
    }
    return entries.sorted { ($0.accessed, $0.key) < ($1.accessed, $1.key) }
  }

  private static var headersAtOnce: Int { 64 }
}

extension CachingError {
  /// Whether a folder may be readable all the same.
  fileprivate var isAboutWriting: Bool {
    switch self {
    case .readOnly, .permissionDenied, .diskFull, .locked: true
    default: false
    }
  }
}

extension RecordReader {
  /// Refuses a cache in whose place is a file: it is not empty, but unusable.
  func checkFolders() throws(CachingError) {
    do throws(FileSystemError) {
      for path in [layout.folder, layout.version] where try files.status(path)?.kind == .regular {
        throw FileSystemError(operation: "open", path: path, code: ENOTDIR)
      }
    } catch {
      throw CachingError(error)
    }
  }

  /// The records of a folder.
  func digests(_ fanOut: String) throws(CachingError) -> [Digest256] {
    var digests: [Digest256] = []
    try list(fanOut) { digest, _ in digests.append(digest) }
    return digests
  }

  /// Length and number of all records, by listing them.
  func census() throws(CachingError) -> (bytes: Int, count: Int) {
    var (bytes, count) = (0, 0)
    for fanOut in CacheLayout.fanOut {
      try list(fanOut) { _, status in
        bytes += status.size
        count += 1
      }
    }
    return (bytes, count)
  }

  private func list(
    _ fanOut: String, _ body: (Digest256, FileStatus) -> Void
  ) throws(CachingError) {
    do throws(FileSystemError) {
      try files.list(layout.fanOutFolder(fanOut)) { name, status in
        guard status.kind == .regular, let digest = CacheLayout.digest(fanOut: fanOut, name: name) else {
          return
        }
        body(digest, status)
      }
    } catch {
      // A link or file in the place of a folder holds nothing of ours.
      guard error.code == ENOTDIR || error.code == ELOOP else { throw CachingError(error) }
    }
  }
}
