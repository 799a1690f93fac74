import CalotypeSupport
import FoundationEssentials
import Glibc

/// The reading half of a ``DiskCache``. It reads files, has no state, and may be used by any number of threads at once.
///
/// Other processes may share the folder, so files may appear and vanish between any two steps. Records change only by
/// renaming a whole file.
struct RecordReader: Sendable {
  let layout: CacheLayout
  let configuration: DiskCache.Configuration
  let files: any FileSystem
  let now: @Sendable () -> Date

  /// The outcome of a read. The caller removes a file that turned out to be unusable.
  enum Outcome: Sendable {
    case hit(CacheRecord)
    case miss
    case expired(FileStatus)
    case damaged(FileStatus)
    /// Its shared payload is missing: a removal is in progress, or was interrupted.
    case incomplete(FileStatus)
  }

  /// Reads a record if all of it is in the page cache and its file needs no update.
  ///
  /// - Returns: `nil` when a thread that may block has to read it.
  func readAtOnce(_ key: CacheKey) -> Outcome? {
    do throws(FileSystemError) {
      let outcome = try read(key, mayWait: false)
      switch outcome {
      case .hit(let record):
        return isDueForTouch(record.accessed, now()) ? nil : outcome
      case .miss: return outcome
      case .expired, .damaged, .incomplete: return nil
      }
    } catch {
      return nil
    }
  }

  /// Reads a record, and updates the time of the last access.
  func read(_ key: CacheKey) throws(CachingError) -> Outcome {
    do throws(FileSystemError) {
      let outcome = try read(key, mayWait: true)
      if case .hit(let record) = outcome {
        let time = now()
        if isDueForTouch(record.accessed, time) {
          // A read-only folder still serves; its records then age from the time they were stored.
          try? files.touch(layout.record(key.digest), modified: time)
        }
      }
      return outcome
    } catch {
      // A link, pipe or folder in the place of a record belongs to another program, and is not followed.
      let path = layout.record(key.digest)
      if error.code == ELOOP || error.code == EINVAL || error.code == ENXIO,
        let status = try? files.status(path), status.kind != .folder
      {
        return .damaged(status)
      }
      throw CachingError(error)
    }
  }

  /// Longer records are copied and verified on reader threads.
  private static var atOnceLimit: Int { 1 << 20 }

  private func isDueForTouch(_ accessed: Date, _ time: Date) -> Bool {
    // A file touched under a wrong clock would neither expire nor be touched until that time.
    abs(time.timeIntervalSince(accessed)) > configuration.touchInterval.seconds
  }

  private func read(_ key: CacheKey, mayWait: Bool) throws(FileSystemError) -> Outcome {
    for _ in 1..<Self.attempts {
      let outcome = try readOnce(key, mayWait: mayWait)
      // Between the reads of its two files, the record may have been replaced.
      guard case .incomplete = outcome else { return outcome }
    }
    return try readOnce(key, mayWait: mayWait)
  }

  /// How often a record is read whose two files do not belong together.
  private static var attempts: Int { 4 }

  private func readOnce(_ key: CacheKey, mayWait: Bool) throws(FileSystemError) -> Outcome {
    // Another process may have a higher limit; this one must not allocate more than its own.
    let most = configuration.effectiveRecordLimit
    let limit = mayWait ? most : min(most, Self.atOnceLimit)
    guard let file = try files.contents(of: layout.record(key.digest), limit: limit, mayWait: mayWait)
    else { return .miss }
    let status = file.status
    guard status.size <= limit else {
      if status.size > most { return .miss }
      throw FileSystemError(operation: "read", path: layout.record(key.digest), code: EAGAIN)
    }
    let time = now()
    if isTooOld(status.modified, now: time) { return .expired(status) }
    let header = file.bytes.withUnsafeBytes { raw -> RecordHeader? in
      guard let header = RecordHeader(raw, fileSize: status.size), header.key.isText(of: key),
        header.isShared || header.matches(payload: UnsafeRawBufferPointer(rebasing: raw[header.length...]))
      else { return nil }
      return header
    }
    guard let header else { return .damaged(status) }
    if isTooOld(created: header.created, now: time) { return .expired(status) }
    if let expires = header.metadata.expires, expires <= time { return .expired(status) }
    var data = Data()
    if header.isShared {
      let path = layout.payload(key.digest, header.payloadChecksum)
      guard let shared = try files.contents(of: path, limit: limit, mayWait: mayWait) else {
        return .incomplete(status)
      }
      guard shared.status.size + status.size <= limit else {
        if shared.status.size + status.size > most { return .miss }
        throw FileSystemError(operation: "read", path: path, code: EAGAIN)
      }
      guard let start = Self.payloadStart(in: shared, of: header) else { return .damaged(status) }
      data = shared.bytes.data(from: start)
    } else {
      data = file.bytes.data(from: header.length)
    }
    return .hit(
      CacheRecord(data: data, metadata: header.metadata, created: header.created, accessed: status.modified))
  }

  /// Returns where the payload begins in the file that a record shares; `nil` when it is damaged.
  private static func payloadStart(in file: FileContents, of header: RecordHeader) -> Int? {
    file.bytes.withUnsafeBytes { raw -> Int? in
      guard raw.count == file.status.size,
        let start = RecordHeader.payloadStart(prefix: raw, fileSize: raw.count),
        header.matches(payload: UnsafeRawBufferPointer(rebasing: raw[start...]))
      else { return nil }
      return start
    }
  }

  /// Whether a record would be readable, judged without its payload.
  func contains(_ key: CacheKey) throws(CachingError) -> Bool {
    do throws(FileSystemError) {
      guard let (file, header) = try openRecord(layout.record(key.digest)), let header else { return false }
      let time = now()
      var size = file.status.size
      if header.isShared {
        guard let shared = try files.status(layout.payload(key.digest, header.payloadChecksum)) else {
          return false
        }
        size += shared.size
      }
      return header.key.isText(of: key) && !isTooOld(file.status.modified, now: time)
        && !isTooOld(created: header.created, now: time)
        && size <= configuration.effectiveRecordLimit
        && header.metadata.expires.map { $0 > time } ?? true
    } catch {
      if error.code == ELOOP || error.code == EINVAL || error.code == ENXIO { return false }
      throw CachingError(error)
    }
  }

  /// Reads the header of a record; `nil` when there is no record or it is damaged.
  func entry(_ digest: Digest256) throws(CachingError) -> (entry: DiskCache.Entry, status: FileStatus)? {
    do throws(FileSystemError) {
      return try storedEntry(digest)
    } catch {
      throw CachingError(error)
    }
  }

  /// Reads the header of a record like ``entry(_:)``, for ``DiskStore``.
  func storedEntry(
    _ digest: Digest256
  ) throws(FileSystemError) -> (entry: DiskCache.Entry, status: FileStatus)? {
    let path = layout.record(digest)
    do throws(FileSystemError) {
      guard let (file, header) = try openRecord(path), let header,
        CacheKey(header.key.text).digest == digest
      else { return nil }
      var fileLength = file.status.size
      if header.isShared {
        guard let shared = try files.status(layout.payload(digest, header.payloadChecksum)) else {
          return nil
        }
        fileLength += shared.size
      }
      let entry = DiskCache.Entry(
        key: header.key.text, source: header.key.source ?? header.key.text, metadata: header.metadata,
        dataLength: header.payloadLength, fileLength: fileLength, created: header.created,
        accessed: file.status.modified, path: path)
      return (entry, file.status)
    } catch {
      // Not a file.
      if error.code == ELOOP || error.code == EINVAL || error.code == ENXIO { return nil }
      throw error
    }
  }

  /// The result of verifying a record.
  enum Verdict: Sendable {
    case intact(size: Int)
    case damaged(path: String, FileStatus)
    case gone
  }

  /// Verifies a record in pieces, so that any size needs little memory.
  func verify(_ digest: Digest256) throws(CachingError) -> Verdict {
    do throws(FileSystemError) {
      let verdict = try verifyOnce(digest)
      // Between the reads of its two files, the record may have been replaced or removed.
      guard case .damaged = verdict else { return verdict }
      return try verifyOnce(digest)
    } catch {
      throw CachingError(error)
    }
  }

  private func verifyOnce(_ digest: Digest256) throws(FileSystemError) -> Verdict {
    let path = layout.record(digest)
    guard let (file, header) = try openRecord(path) else { return .gone }
    let damaged = Verdict.damaged(path: path, file.status)
    guard let header, CacheKey(header.key.text).digest == digest else { return damaged }
    guard header.isShared else {
      return try isIntact(file, from: header.length, header) ? .intact(size: file.status.size) : damaged
    }
    guard let shared = try files.open(layout.payload(digest, header.payloadChecksum)) else { return damaged }
    let prefix = try shared.read(at: 0, count: RecordHeader.fixedLength)
    let start = prefix.withUnsafeBytes { RecordHeader.payloadStart(prefix: $0, fileSize: shared.status.size) }
    guard let start, shared.status.size - start == header.payloadLength,
      try isIntact(shared, from: start, header)
    else { return damaged }
    return .intact(size: file.status.size + shared.status.size)
  }

  /// Verifies the payload of an open record, in pieces.
  func isIntact(
    _ file: any FileReading, from start: Int, _ header: RecordHeader
  ) throws(FileSystemError) -> Bool {
    var checksum = Checksum()
    var offset = start
    let end = start + header.payloadLength
    while offset < end {
      let piece = try file.read(at: offset, count: min(1 << 20, end - offset))
      guard piece.count > 0 else { return false }
      piece.withUnsafeBytes { checksum.update($0) }
      offset += piece.count
    }
    return checksum == header.payloadChecksum
  }

  /// Opens a record and reads its header. Returns `nil` when there is no file, and no header when it is damaged.
  func openRecord(
    _ path: String
  ) throws(FileSystemError) -> (file: any FileReading, header: RecordHeader?)? {
    guard let file = try files.open(path) else { return nil }
    let size = file.status.size
    // Enough for nearly every header.
    let start = try file.read(at: 0, count: min(size, 4096))
    guard let length = start.withUnsafeBytes({ RecordHeader.length(prefix: $0, fileSize: size) }) else {
      return (file, nil)
    }
    let bytes = length > start.count ? try file.read(at: 0, count: length) : start
    return (file, bytes.withUnsafeBytes { RecordHeader($0, fileSize: size) })
  }

  /// Whether the last access is too long ago, by which a record is too old for every ``DiskCache/Configuration/AgeOrigin``.
  func isTooOld(_ accessed: Date, now: Date) -> Bool {
    guard let maxAge = configuration.maxAge else { return false }
    return now.timeIntervalSince(accessed) > maxAge.seconds
  }

  /// Whether the store is too long ago, if that counts.
  func isTooOld(created: Date, now: Date) -> Bool {
    configuration.storedExpiry(of: created).map { $0 < now } ?? false
  }
}

extension Duration {
  /// Seconds as a `Double`.
  var seconds: TimeInterval {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
