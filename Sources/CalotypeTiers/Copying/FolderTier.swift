package import CalotypeCaching
package import FoundationEssentials

/// The records of a disk cache, for copies.
package struct FolderTier: RecordTier {
  private let cache: DiskCache
  private let now: @Sendable () -> Date

  /// - Parameters:
  ///   - cache: The cache.
  ///   - now: The time, which counts as that of the last access of records that come without one.
  package init(_ cache: DiskCache, now: @escaping @Sendable () -> Date = { Date.now }) {
    self.cache = cache
    self.now = now
  }

  package var isShared: Bool { false }
  package var recordLimit: Int { cache.importByteLimit }

  /// The most headers of a page.
  private static let pageLength = 256

  /// Positions are the number of a folder, and the last digest of it if there are more.
  package func page(after position: String?) async throws -> (items: [RecordItem], next: String?) {
    let parts = (position ?? "0").split(separator: " ")
    let number = parts.first.flatMap { Int($0) } ?? 0
    let last = parts.count > 1 ? String(parts[1]) : ""
    let digests = try await cache.recordDigests(inFolder: number).filter { $0 > last }
    var items: [RecordItem] = []
    for digest in digests.prefix(Self.pageLength) {
      let head = try await head(digest)
      items.append(RecordItem(digest: digest, bytes: head?.byteCount ?? 0, head: head))
    }
    if digests.count > Self.pageLength, let last = items.last { return (items, "\(number) \(last.digest)") }
    return (items, number + 1 < DiskCache.folderCount ? String(number + 1) : nil)
  }

  package func place(_ digest: String) -> String {
    "\(cache.configuration.folder.path)/\(DiskCache.recordName(digest: digest))"
  }

  package func head(_ digest: String) async throws -> RecordHead? {
    try await cache.entry(digest: digest).map { entry in
      RecordHead(
        key: CacheKey(entry.key, source: entry.source), metadata: entry.metadata, created: entry.created,
        byteCount: entry.fileLength)
    }
  }

  package func record(_ digest: String) async throws -> StoredRecord? {
    switch try await cache.archived(digest: digest) {
    case nil: return nil
    case .damaged: throw PortableRecord.Damage.payload
    case .intact(let record):
      let bytes = try await cache.bytes(of: record, at: 0, count: record.byteCount)
      return try StoredRecord(bytes, digest: digest, accessed: record.accessed)
    }
  }

  package func store(
    _ record: StoredRecord, digest: String, over previous: RecordHead?
  ) async throws -> RecordStoring {
    let outcome = try await cache.importRecord(
      record.bytes, named: DiskCache.recordName(digest: digest), accessed: record.accessed ?? now())
    switch outcome {
    case .stored: return .stored
    case .superseded: return .superseded
    case .expired: return .expired
    case .noRoom: return .noRoom
    // It was verified before.
    case .refused: throw PortableRecord.Damage.header
    }
  }

  package func close() async throws { try await cache.flush() }
}
