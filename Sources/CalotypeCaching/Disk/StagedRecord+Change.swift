import CalotypeSupport
import FoundationEssentials
import Glibc

extension StagedRecord {
  var isStore: Bool {
    if case .data = content { true } else { false }
  }

  /// The outcome of a read while the record is staged.
  func outcome(now: Date) -> RecordReader.Outcome {
    guard case .data(let data, let metadata, _) = content else { return .miss }
    if let expires = metadata.expires, expires <= now { return .miss }
    return .hit(CacheRecord(data: data, metadata: metadata, created: created, accessed: created))
  }

  /// Prepares the change on disk, before the lock is taken.
  func change(_ configuration: DiskCache.Configuration) -> DiskChange {
    guard case .data(let data, let metadata, let checksum) = content else { return .remove(key.digest) }
    let header = RecordHeader.encode(
      key: key, metadata: metadata, created: created, payload: data, checksum: checksum)
    var entry = IndexEntry(key: key, metadata: metadata, size: header.count + data.count, accessed: created)
    entry.expire(at: configuration.storedExpiry(of: created))
    return .store(data, header: header, entry, time: created)
  }
}

/// A change of the ``DiskStore``.
enum DiskChange {
  case store(Data, header: Data, IndexEntry, time: Date)
  case remove(Digest256)

  var isStore: Bool {
    if case .store = self { true } else { false }
  }

  /// - Returns: Whether there is, or was, a record.
  func apply(to diskStore: DiskStore) throws(FileSystemError) -> Bool {
    switch self {
    case .store(let data, let header, let entry, let time):
      try diskStore.store(data, header: header, entry: entry, time: time)
      return true
    case .remove(let digest):
      return try diskStore.remove(digest)
    }
  }
}
