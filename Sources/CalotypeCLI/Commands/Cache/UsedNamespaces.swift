import Calotype
import FoundationEssentials

/// The namespaces of a folder that hold records.
enum UsedNamespaces {
  /// The most namespaces that are looked at.
  private static let limit = 16

  /// Returns the names that need no escapes, in ascending order; none of a folder that cannot be read.
  static func names(in folder: URL) async -> [String] {
    let path = folder.appending(path: "namespaces").path
    let all = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    let plain = all.sorted().filter { $0.wholeMatch(of: #/[A-Za-z0-9_-]+/#) != nil }
    var names: [String] = []
    for name in plain.prefix(limit) where await hasRecords(DiskCache(.init(folder: folder, namespace: name)))
    {
      names.append(name)
    }
    return names
  }

  private static func hasRecords(_ cache: DiskCache) async -> Bool {
    for number in 0..<DiskCache.folderCount {
      guard let digests = try? await cache.recordDigests(inFolder: number) else { return false }
      if !digests.isEmpty { return true }
    }
    return false
  }
}
