import CalotypeSupport
import FoundationEssentials
import Glibc

extension StagedRecord {
  var isStore: Bool {
    if case .data = content { true } else { false }
  }

  /// What a read finds while it waits.
  func outcome(now: Date) -> RecordReader.Outcome {
    guard case .data(let data, let metadata) = content else { return .miss }
    if let expires = metadata.expires, expires <= now { return .miss }
    return .hit(CacheRecord(data: data, metadata: metadata, created: created, accessed: created))
  }

  /// What has to be done, worked out before anybody is kept waiting for it.
  func change() -> DiskChange {
    guard case .data(let data, let metadata) = content else { return .remove(key.digest) }
    let header = RecordHeader.encode(key: key, metadata: metadata, created: created, payload: data)
    let entry = IndexEntry(key: key, metadata: metadata, size: header.count + data.count, accessed: created)
    return .store(data, header: header, entry, time: created)
  }
}

/// A step of the books.
enum DiskChange {
  case store(Data, header: Data, IndexEntry, time: Date)
  case remove(Digest256)

  var isStore: Bool {
    if case .store = self { true } else { false }
  }

  /// - Returns: Whether there is, or was, a record.
  func apply(to books: DiskStore) throws(FileSystemError) -> Bool {
    switch self {
    case .store(let data, let header, let entry, let time):
      try books.store(data, header: header, entry: entry, time: time)
      return true
    case .remove(let digest):
      return try books.remove(digest)
    }
  }
}
