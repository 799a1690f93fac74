import CalotypeSupport
import Glibc

/// Records one by one, for copies to other caches.
extension DiskCache {
  /// The number of folders that ``recordDigests(inFolder:)`` counts.
  package static nonisolated var folderCount: Int { CacheLayout.fanOut.count }

  /// Returns the digests of the records in a folder, as 64 hexadecimal digits in ascending order.
  ///
  /// - Parameter number: From 0 to less than ``folderCount``, which is also the order of the digests.
  package nonisolated func recordDigests(inFolder number: Int) async throws(CachingError) -> [String] {
    try await onThread { $0.writeStaged() }
    let reader = reader
    return try await survey { () throws(CachingError) in
      try reader.checkFolders()
      return try reader.digests(CacheLayout.fanOut[number]).map(\.hex).sorted()
    }
  }

  /// Returns everything about a record but its data; `nil` if there is none, or its header is damaged. Does not count as an
  /// access.
  ///
  /// - Parameter digest: 64 hexadecimal digits.
  package nonisolated func entry(digest: String) async throws(CachingError) -> Entry? {
    guard let digest = Digest256(hex: digest) else { return nil }
    try await onThread { $0.writeStaged() }
    let reader = reader
    return try await survey { () throws(CachingError) in
      do throws(FileSystemError) {
        return try reader.storedEntry(digest)?.entry
      } catch {
        throw CachingError(error)
      }
    }
  }

  /// Opens a record and verifies all its bytes; `nil` if there is none.
  ///
  /// - Parameter digest: 64 hexadecimal digits.
  package nonisolated func archived(digest: String) async throws(CachingError) -> Archiving? {
    guard let digest = Digest256(hex: digest) else { return nil }
    let reader = reader
    return try await survey { () throws(CachingError) in try reader.archived(digest) }
  }

  /// The path in an archive of the record with a digest of 64 hexadecimal digits: ``ArchivedRecord/name``.
  package static nonisolated func recordName(digest: String) -> String {
    "\(CacheLayout.versionName)/\(digest.prefix(2))/\(digest.dropFirst(2))"
  }
}
