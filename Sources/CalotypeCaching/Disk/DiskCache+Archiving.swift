import CalotypeSupport
package import FoundationEssentials
import Glibc

/// Records as files of an archive, which keep everything: key, source, metadata, times and checksums.
extension DiskCache {
  /// A record that is open for reading. Its file may be removed meanwhile.
  package struct ArchivedRecord: Sendable {
    /// The path in the folder of a cache: `v2/` and the digits of the key's digest, the first two as a folder.
    package let name: String
    /// The length of the record with its payload.
    package let byteCount: Int
    /// When the record was last read or stored; exact to ``DiskCache/Configuration/touchInterval``.
    package let accessed: Date
    /// The header of a record that shares its payload with no other.
    fileprivate let header: Data
    fileprivate let payload: RecordReader.PayloadFile
  }

  /// The outcome of reading a record for an archive.
  package enum Archiving: Sendable {
    case intact(ArchivedRecord)
    /// The path of the file.
    case damaged(String)
  }

  /// The outcome of ``importRecord(_:named:accessed:)``.
  package enum ImportOutcome: Hashable, Sendable {
    case stored
    /// The cache has the same record, or one that was stored later.
    case superseded
    /// The record has expired, or is too old.
    case expired
    /// The record does not fit within the limits.
    case noRoom
    /// The bytes are not a sound record of that name.
    case refused(reason: String)
  }

  /// The most bytes of one record that ``importRecord(_:named:accessed:)`` accepts, header included.
  package nonisolated var importByteLimit: Int { configuration.effectiveRecordLimit }

  /// Returns whether a path in an archive has the form of ``ArchivedRecord/name``, possibly behind `./`.
  package nonisolated func isRecordName(_ name: String) -> Bool { CacheLayout.digest(archived: name) != nil }

  /// Returns whether a path in an archive is the second name of a payload that records share.
  package nonisolated func isPayloadName(_ name: String) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    return parts.count == 3 && parts[0] == CacheLayout.versionName
      && CacheLayout.payloadOwner(fanOut: parts[1], name: parts[2]) != nil
  }

  /// Returns whether the folder has been used by a cache, in any namespace.
  package nonisolated func hasFolder() async throws(CachingError) -> Bool {
    let reader = reader
    return try await survey { () throws(CachingError) in
      try reader.checkFolders()
      do throws(FileSystemError) {
        for name in CacheLayout.ownNames
        where try reader.files.status("\(reader.layout.folder)/\(name)")?.kind == .folder { return true }
        return false
      } catch {
        throw CachingError(error)
      }
    }
  }

  /// Calls `body` for each record, in the order of the digests, once all its bytes are verified. Does not count as an
  /// access. Memory does not depend on the size of records.
  ///
  /// - Throws: ``CachingError``; errors of `body`.
  package nonisolated func archive(_ body: (Archiving) async throws -> Void) async throws {
    try await onThread { $0.writeStaged() }
    let reader = reader
    try await survey { () throws(CachingError) in try reader.checkFolders() }
    for fanOut in CacheLayout.fanOut {
      let digests = try await survey { () throws(CachingError) in try reader.digests(fanOut) }
      for digest in digests.sorted(by: { $0.hex < $1.hex }) {
        if let record = try await survey({ () throws(CachingError) in try reader.archived(digest) }) {
          try await body(record)
        }
      }
    }
  }

  /// Returns bytes of a record: fewer than `count` only at its end.
  package nonisolated func bytes(
    of record: ArchivedRecord, at offset: Int, count: Int
  ) async throws(CachingError) -> Data {
    try await survey { () throws(CachingError) in
      do throws(FileSystemError) {
        var bytes = Data(record.header.dropFirst(offset).prefix(count))
        if bytes.count < count {
          let start = record.payload.offset + max(0, offset - record.header.count)
          bytes += try record.payload.file.read(at: start, count: count - bytes.count).data(from: 0)
        }
        return bytes
      } catch {
        throw CachingError(error)
      }
    }
  }

  /// Stores a record of an archive, with the times that it has there.
  ///
  /// The bytes are verified: they have to be a complete record, with the key of that name. If the cache has a record of
  /// the key, the one that was stored last stays. Nothing is evicted.
  ///
  /// - Parameters:
  ///   - bytes: The file of the record.
  ///   - name: Its path in the archive: ``ArchivedRecord/name``, possibly behind `./`.
  ///   - accessed: When it was last read; times in the future count as now.
  package nonisolated func importRecord(
    _ bytes: Data, named name: String, accessed: Date
  ) async throws(CachingError) -> ImportOutcome {
    guard let digest = CacheLayout.digest(archived: name) else {
      return .refused(reason: "the name is not that of a record")
    }
    let now = reader.now()
    let parsed = try await survey { () throws(CachingError) in
      bytes.withUnsafeBytes { ImportedRecord.verified($0, digest, accessed: accessed, now: now) }
    }
    switch parsed {
    case .failure(let refusal): return .refused(reason: refusal.reason)
    case .success(let record):
      let isExpired =
        record.metadata.expires.map { $0 <= now } ?? false || reader.isTooOld(record.accessed, now: now)
        || reader.isTooOld(created: record.created, now: now)
      if isExpired { return .expired }
      return try await onThreadCounted { cache throws(CachingError) -> ImportOutcome in
        cache.writeStaged()
        let outcome = try cache.withDiskStore(creates: true) { diskStore throws(FileSystemError) in
          let outcome = try diskStore.adopt(record, bytes)
          try diskStore.keepUp()
          return outcome
        }
        if outcome == .stored { cache.counters.withLock { $0.stores += 1 } }
        return outcome ?? .noRoom
      }
    }
  }
}

extension RecordReader {
  /// Opens a record and verifies all its bytes; `nil` when there is none.
  func archived(_ digest: Digest256) throws(CachingError) -> DiskCache.Archiving? {
    let found = try archivedOnce(digest)
    // Between the reads, the record may have been replaced or removed.
    guard case .damaged? = found else { return found }
    return try archivedOnce(digest)
  }

  private func archivedOnce(_ digest: Digest256) throws(CachingError) -> DiskCache.Archiving? {
    let path = layout.record(digest)
    do throws(FileSystemError) {
      guard let (file, header) = try openRecord(path) else { return nil }
      guard let header, CacheKey(header.key.text).digest == digest,
        let payload = try payloadFile(of: digest, file, header),
        payload.file.status.size - payload.offset == header.payloadLength,
        try isIntact(payload.file, from: payload.offset, header)
      else { return .damaged(path) }
      let start = RecordHeader.whole(try file.read(at: 0, count: header.length).data(from: 0))
      return .intact(
        DiskCache.ArchivedRecord(
          name: CacheLayout.archived(digest), byteCount: start.count + header.payloadLength,
          accessed: file.status.modified, header: start, payload: payload))
    } catch {
      switch error.code {
      // Not a file.
      case ELOOP, EINVAL, ENXIO: return nil
      // One that cannot be read must not keep the others from being exported.
      case EIO, EACCES, EPERM: return .damaged(path)
      default: throw CachingError(error)
      }
    }
  }
}

extension CacheLayout {
  /// The path of a record in an archive.
  static func archived(_ digest: Digest256) -> String {
    let hex = digest.hex
    return "\(versionName)/\(hex.prefix(2))/\(hex.dropFirst(2))"
  }

  /// Returns the digest of a path in an archive; `nil` when it is not that of a record.
  static func digest(archived name: String) -> Digest256? {
    let path = name.hasPrefix("./") ? String(name.dropFirst(2)) : name
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, parts[0] == versionName, parts[1].utf8.count == 2 else { return nil }
    return digest(fanOut: parts[1], name: parts[2])
  }
}
