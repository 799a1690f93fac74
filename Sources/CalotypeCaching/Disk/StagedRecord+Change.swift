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
  func change(limit: Int) -> DiskChange {
    guard case .data(let data, let metadata) = content else { return .remove(key.digest) }
    do throws(CachingError) {
      let header = try RecordHeader.encode(key: key, metadata: metadata, created: created, payload: data)
      let size = header.count + data.count
      guard size <= limit else { return .refuse(.recordTooLarge(bytes: size, limit: limit)) }
      let entry = IndexEntry(key: key, metadata: metadata, size: size, accessed: created)
      return .store(data, header: header, entry, time: created)
    } catch {
      return .refuse(error)
    }
  }
}

/// A step of the books.
enum DiskChange {
  case store(Data, header: Data, IndexEntry, time: Date)
  case remove(Digest256)
  case refuse(CachingError)

  var isStore: Bool {
    if case .store = self { true } else { false }
  }

  /// - Returns: Whether there is, or was, a record.
  func apply(to books: DiskBooks) throws(FileSystemError) -> Result<Bool, CachingError> {
    switch self {
    case .store(let data, let header, let entry, let time):
      try books.store(data, header: header, entry: entry, time: time)
      return .success(true)
    case .remove(let digest):
      return .success(try books.remove(digest))
    case .refuse(let error):
      return .failure(error)
    }
  }
}
