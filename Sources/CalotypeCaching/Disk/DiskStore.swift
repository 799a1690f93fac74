import FoundationEssentials
import Glibc

/// The blocking half of a ``DiskCache``: knows files, keeps no books, may be used by any number of threads at once.
///
/// The folder is the truth and may be shared with other processes, so every step expects files to appear and to
/// vanish. Records only ever change by a rename of a whole file.
struct DiskStore: Sendable {
  let layout: CacheLayout
  let configuration: DiskCache.Configuration
  let files: any CacheFileSystem
  let names: TemporaryNames
  let now: @Sendable () -> Date

  /// What a read found. Sizes are those of the file that is gone now.
  enum ReadOutcome: Sendable {
    case hit(CacheRecord)
    case miss
    case expired(size: Int)
    case damaged(size: Int)
  }

  /// What a store did: the length of the new file, and of the one it replaced.
  struct StoreOutcome: Sendable {
    var size: Int
    var replaced: Int?
  }

  /// Enough for the header of nearly every record, in one read.
  private static let firstRead = 4096

  func read(_ key: CacheKey) throws(CachingError) -> ReadOutcome {
    do throws(FileSystemError) {
      return try readFile(key)
    } catch {
      throw CachingError(error)
    }
  }

  private func readFile(_ key: CacheKey) throws(FileSystemError) -> ReadOutcome {
    let path = layout.record(key.digest)
    guard let (file, header) = try openRecord(path) else { return .miss }
    guard let file else { return .damaged(size: 0) }
    let status = file.status
    let time = now()
    if isTooOld(status.modified, now: time) {
      discard(path, status)
      return .expired(size: status.size)
    }
    guard let header, header.key.utf8.elementsEqual(key.text.utf8) else {
      discard(path, status)
      return .damaged(size: status.size)
    }
    if let expires = header.metadata.expires, expires <= time {
      discard(path, status)
      return .expired(size: status.size)
    }
    // Another process may allow itself more; memory for that is not ours to take.
    guard status.size <= configuration.effectiveRecordLimit else { return .miss }
    let payload = try file.read(at: header.length, count: header.payloadLength)
    guard header.matches(payload: payload) else {
      discard(path, status)
      return .damaged(size: status.size)
    }
    if time.timeIntervalSince(status.modified) > configuration.touchInterval.seconds {
      // A folder we may only read still serves; its records then age from the day they were stored.
      try? files.touch(path, modified: time)
    }
    return .hit(
      CacheRecord(
        data: payload, metadata: header.metadata, created: header.created, accessed: status.modified))
  }

  /// Whether a record would be read, without its payload.
  func contains(_ key: CacheKey) throws(CachingError) -> Bool {
    do throws(FileSystemError) {
      guard let (file, header) = try openRecord(layout.record(key.digest)), let file, let header else {
        return false
      }
      let time = now()
      return header.key.utf8.elementsEqual(key.text.utf8) && !isTooOld(file.status.modified, now: time)
        && file.status.size <= configuration.effectiveRecordLimit
        && header.metadata.expires.map { $0 > time } ?? true
    } catch {
      throw CachingError(error)
    }
  }

  /// Opens a record and reads its header. `nil`: nothing there. No file: something that is no record was there and
  /// is removed. No header: it is damaged.
  func openRecord(
    _ path: String
  ) throws(FileSystemError) -> (file: (any CacheFileReading)?, header: RecordHeader?)? {
    let file: any CacheFileReading
    do throws(FileSystemError) {
      guard let opened = try files.open(path) else { return nil }
      file = opened
    } catch {
      // A link, pipe or folder in the place of a record: we did not put it there and do not follow it.
      guard error.code == ELOOP || error.code == EINVAL || error.code == ENXIO else { throw error }
      _ = try files.remove(path)
      return (nil, nil)
    }
    let size = file.status.size
    var bytes = try file.read(at: 0, count: min(size, Self.firstRead))
    guard let length = RecordHeader.length(prefix: bytes, fileSize: size) else { return (file, nil) }
    if length > bytes.count { bytes = try file.read(at: 0, count: length) }
    return (file, RecordHeader(bytes.prefix(length), fileSize: size))
  }

  func store(
    _ data: Data, metadata: RecordMetadata, for key: CacheKey
  ) throws(CachingError) -> StoreOutcome {
    let time = now()
    let limit = configuration.effectiveRecordLimit
    // Asked before the payload is hashed; the header counts too, below.
    guard data.count <= limit else { throw .recordTooLarge(bytes: data.count, limit: limit) }
    let header = try RecordHeader.encode(key: key.text, metadata: metadata, created: time, payload: data)
    let size = header.count + data.count
    guard size <= limit else { throw .recordTooLarge(bytes: size, limit: limit) }
    do throws(FileSystemError) {
      let replaced = try write([header, data], to: key.digest, time: time)
      return StoreOutcome(size: size, replaced: replaced)
    } catch {
      throw CachingError(error)
    }
  }

  /// Writes a temporary file and gives it its name.
  /// - Returns: The length of the record it replaced.
  private func write(
    _ parts: [Data], to digest: Digest256, time: Date
  ) throws(FileSystemError) -> Int? {
    // Others may clear the folder between any two steps: then it is made again.
    for _ in 0..<2 {
      do throws(FileSystemError) {
        return try writeOnce(parts, to: digest, time: time)
      } catch {
        guard error.code == ENOENT else { throw error }
      }
    }
    return try writeOnce(parts, to: digest, time: time)
  }

  private func writeOnce(
    _ parts: [Data], to digest: Digest256, time: Date
  ) throws(FileSystemError) -> Int? {
    let path = layout.record(digest)
    let temporary = "\(layout.temporaries)/\(names.next())"
    let synchronize = configuration.durability == .fsync
    do throws(FileSystemError) {
      try files.create(temporary, parts: parts, modified: time, synchronize: synchronize)
    } catch {
      guard error.code == ENOENT else { throw error }
      try prepareFolder()
      try files.create(temporary, parts: parts, modified: time, synchronize: synchronize)
    }
    do throws(FileSystemError) {
      let replaced = try files.status(path)?.size
      do throws(FileSystemError) {
        try files.rename(temporary, to: path, synchronize: synchronize)
      } catch {
        // Usually this is the first record of its folder.
        guard error.code == ENOENT else { throw error }
        try files.makeFolder(layout.fanOutFolder(of: digest))
        try files.rename(temporary, to: path, synchronize: synchronize)
      }
      return replaced
    } catch {
      _ = try? files.remove(temporary)
      throw error
    }
  }

  /// Makes the folders, and marks the folder as a cache unless it holds things of others.
  private func prepareFolder() throws(FileSystemError) {
    try files.makeFolder(layout.temporaries)
    var isOurs = true
    try files.list(layout.folder) { name, _ in
      if !CacheLayout.ownNames.contains(name) { isOurs = false }
    }
    guard isOurs else { return }
    do throws(FileSystemError) {
      try files.create(
        layout.tag, parts: [Data(CacheLayout.tag.utf8)], modified: now(), synchronize: false)
    } catch {
      // Another process was faster.
      guard error.code == EEXIST else { throw error }
    }
  }

  /// Removes the record of a key.
  /// - Returns: Its length, or `nil` when there was none.
  func remove(_ key: CacheKey) throws(CachingError) -> Int? {
    let path = layout.record(key.digest)
    do throws(FileSystemError) {
      guard let status = try files.status(path), try files.remove(path) else { return nil }
      return status.size
    } catch {
      throw CachingError(error)
    }
  }

  func isTooOld(_ accessed: Date, now: Date) -> Bool {
    guard let maxAge = configuration.maxAge else { return false }
    return now.timeIntervalSince(accessed) > maxAge.seconds
  }

  /// Removes a file that was seen to be useless, unless a new one has taken its name since.
  func discard(_ path: String, _ seen: FileStatus) {
    // What cannot be removed stays and reads as `nil` the next time too. A store that gets in between the two calls
    // loses its record, never its bytes: to the next read that is a miss.
    guard let status = try? files.status(path), status == seen else { return }
    _ = try? files.remove(path)
  }
}

extension Duration {
  /// Seconds, with the rounding of `Double`.
  var seconds: TimeInterval {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
