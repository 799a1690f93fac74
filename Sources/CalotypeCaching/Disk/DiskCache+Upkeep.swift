import CalotypeSupport
import Glibc

extension DiskCache {
  /// Removes the records of a selection, in all their variants.
  ///
  /// - Returns: The number of removed records.
  /// - Complexity: Reads the header of each candidate: almost only the records of a source, a thirtieth of all for a
  ///   tag, and all for a prefix, host or origin.
  /// - Throws: ``CachingError``; ``CachingError/cancelled`` when the task is cancelled; some records may have been
  ///   removed.
  @discardableResult
  public nonisolated func removeAll(_ selection: CacheSelection) async throws(CachingError) -> Int {
    let suspects =
      try await onThreadCounted { cache throws(CachingError) -> [Digest256]? in
        cache.writeStaged()
        return try cache.withDiskStore(creates: false) { diskStore throws(FileSystemError) in
          diskStore.index.read { table -> [Digest256] in
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
          try cache.withDiskStore(creates: false) { diskStore throws(FileSystemError) in
            var removed = 0
            // Records that were stored meanwhile remain.
            for record in meant where try diskStore.discard(record.digest, seen: record.status) {
              removed += 1
            }
            return removed
          }
        } ?? 0
    }
    return removed
  }

  /// Removes all records. Other files in the folder remain.
  ///
  /// - Returns: The number of removed records.
  /// - Throws: ``CachingError``; ``CachingError/cancelled`` when the task is cancelled; the records may still be
  ///   removed.
  @discardableResult
  public nonisolated func removeAll() async throws(CachingError) -> Int {
    try await onThreadCounted { cache throws(CachingError) -> Int? in
      cache.writeStaged()
      return try cache.withDiskStore(creates: false) { diskStore throws(FileSystemError) in
        try diskStore.removeAll()
      }
    } ?? 0
  }

  /// Compares the folder with the index, removes expired records and the temporary files of processes that died, and
  /// evicts if a limit is exceeded. Stores keep the limits by themselves; trim a folder that other programs may have
  /// changed.
  ///
  /// - Throws: ``CachingError``; ``CachingError/cancelled`` when the task is cancelled; the work may still be done.
  @discardableResult
  public nonisolated func trim() async throws(CachingError) -> DiskCache.TrimReport {
    try await onThreadCounted { cache throws(CachingError) -> DiskCache.TrimReport? in
      cache.writeStaged()
      // The report must include every removal.
      return try cache.withDiskStore(creates: false, makesRoom: false) { diskStore throws(FileSystemError) in
        try diskStore.reconcile()
      }
    } ?? DiskCache.TrimReport()
  }

  /// Reads every byte of every record, removes the damaged ones and rebuilds the index. Does not count as an access.
  ///
  /// - Parameter progress: Called now and then with the number of records checked, and the bytes of the intact ones.
  public nonisolated func verify(
    progress: (_ records: Int, _ bytes: Int) -> Void = { _, _ in }
  ) async throws(CachingError) -> DiskCache.VerifyReport {
    try await onThread { $0.writeStaged() }
    var report = DiskCache.VerifyReport()
    let reader = reader
    for fanOut in CacheLayout.fanOut {
      let digests = try await survey { () throws(CachingError) in try reader.digests(fanOut) }
      // One batch per visit to the thread, so that other work gets its turn and cancellation is noticed.
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
        _ = try cache.withDiskStore(creates: false) { diskStore throws(FileSystemError) in
          try diskStore.reconcile()
        }
      }
    } catch {
      // A read-only folder has been verified nevertheless.
      guard error.isAboutWriting else { throw error }
    }
    return report
  }

  /// The activity of the cache, without its contents: ``Statistics/bytes`` and ``Statistics/count`` are 0. Reads no file, and never
  /// waits, so that a stalled device delays no report.
  public nonisolated var activity: DiskCache.Statistics {
    var result = counters.withLock { $0 }
    result.stagedBytes = staging.bytes
    result.byteLimit = configuration.byteLimit
    result.countLimit = configuration.countLimit
    result.isCircuitOpen = circuit.isOpen
    result.isReadCircuitOpen = readers.isStalled
    return result
  }

  /// Returns the contents and the activity of the cache. While another process keeps the folder locked, it counts the
  /// files instead.
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
    var result = activity
    (result.bytes, result.count) = held
    return result
  }

  /// The length and number of all records, from the index.
  private func census() throws(CachingError) -> (bytes: Int, count: Int) {
    // Listing the folder is the fallback.
    let timeout = configuration.effectiveStoreTimeout
    return try withDiskStore(creates: false, timeout: timeout) { diskStore throws(FileSystemError) in
      diskStore.index.read { ($0.bytes, $0.count) }
    } ?? (0, 0)
  }

  /// Lists the records, least recently used first, without counting as an access. Damaged records are left out.
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
  /// Whether the folder may be readable despite the error.
  fileprivate var isAboutWriting: Bool {
    switch self {
    case .readOnly, .permissionDenied, .diskFull, .belowFreeSpaceFloor, .locked: true
    default: false
    }
  }
}

extension RecordReader {
  /// Fails if a file takes the place of the folder: the cache is then unusable rather than empty.
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
    try list(fanOut) { digest, _ in
      if let digest { digests.append(digest) }
    }
    return digests
  }

  /// The length and number of all records, from a listing.
  func census() throws(CachingError) -> (bytes: Int, count: Int) {
    var (bytes, count) = (0, 0)
    for fanOut in CacheLayout.fanOut {
      try list(fanOut) { digest, status in
        bytes += status.size
        if digest != nil { count += 1 }
      }
    }
    return (bytes, count)
  }

  /// Calls `body` for every record, and without a digest for every shared payload.
  private func list(
    _ fanOut: String, _ body: (Digest256?, FileStatus) -> Void
  ) throws(CachingError) {
    do throws(FileSystemError) {
      try files.list(layout.fanOutFolder(fanOut)) { name, status in
        guard status.kind == .regular else { return }
        let digest = CacheLayout.digest(fanOut: fanOut, name: name)
        guard digest != nil || CacheLayout.payloadOwner(fanOut: fanOut, name: name) != nil else { return }
        body(digest, status)
      }
    } catch {
      // A link or a file in the place of a folder holds no records.
      guard error.code == ENOTDIR || error.code == ELOOP else { throw CachingError(error) }
    }
  }
}
