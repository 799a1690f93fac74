import CalotypeSupport
import FoundationEssentials

extension DiskCache {
  /// Lists the records, least recently used first, and is no access to them. Damaged ones are left out.
  ///
  /// - Complexity: Reads the header of each record; the whole list is in memory.
  public nonisolated func entries() async throws(CachingError) -> [CacheEntry] {
    let store = store
    let scanned = try await perform { () throws(CachingError) in try store.scan() }
    var entries: [CacheEntry] = []
    entries.reserveCapacity(scanned.count)
    // One visit to the threads a batch, so that reads get their turn and cancellation is noticed.
    for start in stride(from: 0, to: scanned.count, by: Self.batch) {
      let batch = scanned[start..<min(start + Self.batch, scanned.count)]
      entries += try await perform { () throws(CachingError) in
        var entries: [CacheEntry] = []
        for entry in batch {
          if let entry = try store.entry(entry.digest) { entries.append(entry) }
        }
        return entries
      }
    }
    return entries.sorted { ($0.accessed, $0.key) < ($1.accessed, $1.key) }
  }

  /// Reads every byte of every record and removes the damaged ones; no access to the others.
  public nonisolated func verify() async throws(CachingError) -> VerifyReport {
    let store = store
    let scanned = try await perform { () throws(CachingError) in try store.scan() }
    var report = VerifyReport()
    for entry in scanned {
      let state = try await perform { () throws(CachingError) in try store.verify(entry.digest) }
      switch state {
      case .intact(let size):
        report.intact += 1
        report.bytes += size
      case .damaged(let path):
        report.damaged.append(path)
        await noteRemoval(of: entry.size)
      case .gone:
        continue
      }
    }
    let count = report.damaged.count
    counters.withLock { $0.damaged += count }
    return report
  }

  private static var batch: Int { 64 }
}

extension DiskStore {
  /// What a look at a whole record found.
  enum VerifyOutcome: Sendable {
    case intact(size: Int)
    case damaged(path: String)
    case gone
  }

  /// The header of a record, or `nil` when there is none or it is damaged.
  func entry(_ digest: Digest256) throws(CachingError) -> CacheEntry? {
    let path = layout.record(digest)
    do throws(FileSystemError) {
      guard let (file, header) = try openRecord(path), let file, let header,
        CacheKey(header.key).digest == digest
      else { return nil }
      return CacheEntry(
        key: header.key, metadata: header.metadata, dataLength: header.payloadLength,
        fileLength: file.status.size, created: header.created, accessed: file.status.modified, path: path)
    } catch {
      throw CachingError(error)
    }
  }

  /// Reads a record in pieces, so that one of any size needs little memory.
  func verify(_ digest: Digest256) throws(CachingError) -> VerifyOutcome {
    let path = layout.record(digest)
    do throws(FileSystemError) {
      guard let (file, header) = try openRecord(path) else { return .gone }
      guard let file else { return .damaged(path: path) }
      guard let header, CacheKey(header.key).digest == digest, try isIntact(file, header) else {
        discard(path, file.status)
        return .damaged(path: path)
      }
      return .intact(size: file.status.size)
    } catch {
      throw CachingError(error)
    }
  }

  private func isIntact(
    _ file: any CacheFileReading, _ header: RecordHeader
  ) throws(FileSystemError) -> Bool {
    var checksum = PayloadChecksum()
    var offset = header.length
    let end = header.length + header.payloadLength
    while offset < end {
      let piece = try file.read(at: offset, count: min(1 << 20, end - offset))
      guard !piece.isEmpty else { return false }
      checksum.update(piece)
      offset += piece.count
    }
    return checksum.finalize() == header.payloadChecksum
  }
}
