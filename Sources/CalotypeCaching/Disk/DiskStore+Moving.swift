import CalotypeSupport
import FoundationEssentials
import Glibc

/// Records of another folder. Called within `withLock` of both.
extension DiskStore {
  /// The outcome for one record.
  enum Move: Sendable {
    case moved
    /// This folder has the same record, or a newer one.
    case superseded
    /// It exceeds the limits.
    case tooLarge
    /// Another process moved or removed it.
    case gone
  }

  /// Moves a record of another folder here.
  func move(_ digest: Digest256, from source: DiskStore) throws(FileSystemError) -> Move {
    let path = source.layout.record(digest)
    guard let status = try files.status(path), status.kind == .regular else { return .gone }
    let before = index.read { $0[digest] }
    if try files.status(layout.record(digest)) != nil, try !isNewer(digest, in: source) {
      _ = try source.remove(digest)
      return .superseded
    }
    let entry = IndexEntry(digest: digest, size: status.size, accessed: status.modified)
    let (bytes, count) = index.read { ($0.bytes, $0.count) }
    // The old record and the new one exist side by side for a moment.
    guard status.size <= configuration.effectiveRecordLimit, bytes + status.size <= configuration.byteLimit,
      count + (before == nil ? 1 : 0) <= configuration.countLimit
    else { return .tooLarge }
    try note([.put(entry)])
    do throws(FileSystemError) {
      try place(path, digest)
    } catch {
      do throws(FileSystemError) {
        try settle(entry, before: before)
      } catch {
        // The next process that loads the journal checks its end.
        distrust()
      }
      if error.operation == FileSystemError.freeSpaceCheck { return .tooLarge }
      throw error
    }
    unsynced.withLock { $0.store(digest) }
    try source.noteRemoval(of: digest)
    return .moved
  }

  /// Whether the record of a key in another folder was stored after the one in this folder. A damaged record is older
  /// than any other.
  private func isNewer(_ digest: Digest256, in source: DiskStore) throws(FileSystemError) -> Bool {
    guard let other = try source.reader.storedEntry(digest)?.entry else { return false }
    guard let own = try reader.storedEntry(digest)?.entry else { return true }
    return other.created > own.created
  }

  /// Gives a file the name of a record in this folder.
  private func place(_ path: String, _ digest: Digest256) throws(FileSystemError) {
    let place = layout.record(digest)
    do throws(FileSystemError) {
      try files.rename(path, to: place, synchronize: isDurable)
    } catch {
      switch error.code {
      case ENOENT:
        // Usually because this is the first record of its folder.
        try files.makeFolder(layout.fanOutFolder(of: digest))
        if isDurable { _ = try files.synchronize(layout.version) }
        try files.rename(path, to: place, synchronize: isDurable)
      case EXDEV:
        try copy(path, to: place, digest)
      default: throw error
      }
    }
  }

  /// Moves a file from another file system: the original is removed when the copy is on the device.
  private func copy(_ path: String, to place: String, _ digest: Digest256) throws(FileSystemError) {
    guard let file = try files.contents(of: path, limit: configuration.effectiveRecordLimit, mayWait: true)
    else { throw FileSystemError(operation: "open", path: path, code: ENOENT) }
    if try isBelowFloor(afterStoring: file.status.size) { throw .belowFreeSpaceFloor(layout.version) }
    try files.makeFolder(layout.fanOutFolder(of: digest))
    try files.create(
      layout.temporary, parts: [file.bytes.data(from: 0)], modified: file.status.modified, synchronize: true)
    do throws(FileSystemError) {
      try files.rename(layout.temporary, to: place, synchronize: true)
      _ = try files.synchronize(layout.version)
    } catch {
      _ = try? files.remove(layout.temporary)
      throw error
    }
    space.use(file.status.size)
    _ = try files.remove(path)
  }
}
