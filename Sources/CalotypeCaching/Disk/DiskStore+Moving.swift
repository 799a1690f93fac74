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
    let known = source.index.read { $0[digest] }
    let shared = known?.mayShare ?? true ? try source.reader.sharedPayload(of: digest) : nil
    if shared == nil, known?.mayShare == true, try source.reader.storedEntry(digest) == nil {
      // Without the payload that it shared, it is no record any more.
      return .gone
    }
    var entry = IndexEntry(digest: digest, size: shared?.total ?? status.size, accessed: status.modified)
    entry.mayShare = shared != nil
    guard hasRoom(for: Int(entry.size), isNew: before == nil) else { return .tooLarge }
    let former = try formerPayloads(
      of: before, keeping: shared.map { layout.payload(digest, $0.checksum) })
    let noted = Self.noted(entry, former)
    try note([.put(noted)])
    do throws(FileSystemError) {
      try place(path, digest, shared, &entry)
    } catch {
      do throws(FileSystemError) {
        try settle(noted, before: before)
      } catch {
        // The next process that loads the journal checks its end.
        distrust()
      }
      if error.operation == FileSystemError.freeSpaceCheck { return .tooLarge }
      throw error
    }
    unsynced.withLock { $0.store(digest, sharing: entry.mayShare ? shared?.checksum : nil) }
    if entry != noted { discard(former, of: entry, isConfirmed: unsynced.withLock { $0.isFlushed }) }
    if let shared { _ = try files.remove(shared.path) }
    try source.noteRemoval(of: digest)
    return .moved
  }

  /// Gives the file of a record, and that of the payload which it shares, their names in this folder.
  ///
  /// - Parameter entry: Becomes that of a whole file if the payload cannot be shared here.
  private func place(
    _ path: String, _ digest: Digest256, _ shared: RecordReader.SharedPayload?, _ entry: inout IndexEntry
  ) throws(FileSystemError) {
    guard let shared else { return try place(path, digest) }
    do throws(FileSystemError) {
      let twin = Twin(
        owner: digest, path: shared.path, size: shared.size, identity: shared.identity,
        checksum: shared.checksum)
      try link(twin, for: digest)
      if isDurable { _ = try files.synchronize(layout.payload(digest, shared.checksum)) }
      return try place(path, digest)
    } catch {
      guard error.operation == Self.linking else { throw error }
    }
    let limit = configuration.effectiveRecordLimit
    guard let file = try files.contents(of: path, limit: limit, mayWait: true),
      let payload = try files.contents(of: shared.path, limit: limit, mayWait: true),
      let start = payload.bytes.withUnsafeBytes({
        RecordHeader.payloadStart(prefix: $0, fileSize: payload.status.size)
      })
    else { throw FileSystemError(operation: "open", path: path, code: ENOENT) }
    let header = RecordHeader.whole(file.bytes.data(from: 0))
    try copy(
      [header, payload.bytes.data(from: start)], of: file.status, from: path, to: layout.record(digest),
      digest)
    entry.size = Int64(clamping: header.count + payload.status.size - start)
    entry.mayShare = false
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
    try copy([file.bytes.data(from: 0)], of: file.status, from: path, to: place, digest)
  }

  private func copy(
    _ parts: [Data], of status: FileStatus, from path: String, to place: String, _ digest: Digest256
  ) throws(FileSystemError) {
    let size = parts.reduce(0) { $0 + $1.count }
    if try isBelowFloor(afterStoring: size) { throw .belowFreeSpaceFloor(layout.version) }
    try files.makeFolder(layout.fanOutFolder(of: digest))
    try files.create(layout.temporary, parts: parts, modified: status.modified, synchronize: true)
    do throws(FileSystemError) {
      try files.rename(layout.temporary, to: place, synchronize: true)
      _ = try files.synchronize(layout.version)
    } catch {
      _ = try? files.remove(layout.temporary)
      throw error
    }
    space.use(size)
    _ = try files.remove(path)
  }
}
