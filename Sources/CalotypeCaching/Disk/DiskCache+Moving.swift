import CalotypeSupport
public import FoundationEssentials

extension DiskCache {
  /// Moves the records of another folder into the folder of this cache, as after a change of its configuration.
  ///
  /// Each record is in one of the two folders at every moment, also if the process dies; another call then continues.
  /// Several processes may move the same folder at once, and both caches may be in use. If both folders have a record
  /// of a key, the one that was stored last stays. A record keeps its age. Nothing is evicted: records that exceed the
  /// limits of this cache remain where they are. So do all files that are not records, and empty folders.
  ///
  /// Within a file system, a move renames a file; otherwise the file is copied, and removed when the copy is on the
  /// device.
  ///
  /// - Parameters:
  ///   - folder: The other folder. Nothing happens if it does not exist, or is the folder of this cache.
  ///   - namespace: The namespace within it.
  /// - Throws: ``CachingError`` of the first failure; ``CachingError/cancelled`` when the task is cancelled. The other
  ///   records remain in the other folder.
  /// - Complexity: O(records); other calls are served between groups of 64.
  @discardableResult
  public nonisolated func moveRecords(
    from folder: URL, namespace: String? = nil
  ) async throws(CachingError) -> DiskCache.MoveReport {
    let layout = CacheLayout(folder: folder.path, namespace: namespace)
    let source = RecordReader(
      layout: layout, configuration: configuration, files: reader.files, now: reader.now)
    var report = DiskCache.MoveReport()
    // The other folder may be this one under another name.
    let own = reader
    let isOther = try await survey { () throws(CachingError) in
      guard let other = try source.folderStatus() else { return false }
      return try other != own.folderStatus()
    }
    guard isOther else { return report }
    defer { thread.schedule { self.assumeIsolated { $0.movingStore = nil } } }
    for fanOut in CacheLayout.fanOut {
      let digests = try await survey { () throws(CachingError) in try source.digests(fanOut) }
      for start in stride(from: 0, to: digests.count, by: Self.movesAtOnce) {
        let batch = Array(digests[start..<min(start + Self.movesAtOnce, digests.count)])
        let moves = try await onThreadCounted { cache throws(CachingError) in
          // A change that is still in the queue is newer.
          cache.writeStaged()
          return try cache.move(batch, from: layout)
        }
        for move in moves {
          switch move {
          case .moved: report.moved += 1
          case .superseded: report.superseded += 1
          case .tooLarge: report.remaining += 1
          case .gone: continue
          }
        }
      }
    }
    return report
  }

  private static var movesAtOnce: Int { 64 }

  /// Moves a group of records while both folders are locked.
  private func move(
    _ digests: [Digest256], from layout: CacheLayout
  ) throws(CachingError) -> [DiskStore.Move] {
    let source: DiskStore
    if let movingStore, movingStore.layout.version == layout.version {
      source = movingStore
    } else {
      source = DiskStore(
        layout: layout, configuration: configuration, files: diskStore.files, now: diskStore.now,
        timer: timer,
        index: DiskIndex(), circuit: StoreCircuit(timer: timer) { _ in }, unsynced: Lock(UnsyncedChanges()))
      movingStore = source
    }
    return try withDiskStore(creates: true) { diskStore throws(FileSystemError) in
      try source.withLock(creates: false) { () throws(FileSystemError) in
        var moves: [DiskStore.Move] = []
        for digest in digests { moves.append(try diskStore.move(digest, from: source)) }
        return moves
      } ?? []
    } ?? []
  }
}

extension RecordReader {
  /// The status of the folder of the records; `nil` when there is none.
  fileprivate func folderStatus() throws(CachingError) -> FileStatus? {
    do throws(FileSystemError) {
      return try files.status(layout.version)
    } catch {
      throw CachingError(error)
    }
  }
}
