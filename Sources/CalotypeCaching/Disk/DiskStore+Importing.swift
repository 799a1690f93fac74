import CalotypeSupport
import FoundationEssentials
import Glibc

/// Records of archives. Called within `withLock`.
extension DiskStore {
  /// Stores a record of an archive, unless that would evict others.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - bytes: Its header and its payload, as in the archive.
  func adopt(
    _ record: ImportedRecord, _ bytes: Data
  ) throws(FileSystemError) -> DiskCache.ImportOutcome {
    let digest = record.key.digest
    if let own = try reader.storedEntry(digest)?.entry, own.created >= record.created { return .superseded }
    let payload = bytes.dropFirst(record.headerLength)
    let header = record.header(before: payload)
    let size = header.count + payload.count
    guard hasRoom(for: size, isNew: index.read { $0[digest] == nil }), try !isBelowFloor(afterStoring: size)
    else { return .noRoom }
    var entry = IndexEntry(key: record.key, metadata: record.metadata, size: size, accessed: record.accessed)
    entry.expire(at: configuration.storedExpiry(of: record.created))
    do throws(FileSystemError) {
      try store(payload, header: header, entry: entry, time: record.accessed, evicts: false)
    } catch {
      guard error.code == ENOSPC || error.code == EDQUOT else { throw error }
      return .noRoom
    }
    return .stored
  }
}
