import CalotypeCaching
import CalotypeTestKit
import FoundationEssentials

extension TemporaryFolder {
  /// The folder of a cache inside; not made yet.
  var cache: URL { url.appending(path: "cache", directoryHint: .isDirectory) }

  /// The file of a record.
  func record(_ key: CacheKey) -> URL {
    let hex = key.hexDigest
    return cache.appending(path: "v2/\(hex.prefix(2))/\(hex.dropFirst(2))")
  }

  /// Names of what is being written.
  var temporaries: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: cache.appending(path: "v2/tmp").path)) ?? []
  }

  func configuration(_ change: (inout DiskCache.Configuration) -> Void = { _ in }) -> DiskCache.Configuration
  {
    // Longer than a busy machine holds a thread up.
    var configuration = DiskCache.Configuration(
      folder: cache, storeTimeout: .seconds(60), readTimeout: .seconds(60))
    change(&configuration)
    return configuration
  }

  /// Descriptors that this process has open of what is or was in the folder.
  var openDescriptors: Int {
    let folder = "/proc/self/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let targets = names.compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }
    return targets.count { $0.hasPrefix(url.path) }
  }

  /// Waits until nothing in the folder is open, as threads of caches that were released close what they have.
  ///
  /// - Throws: `NeverHappened` after ten seconds.
  func waitUntilClosed() async throws {
    try await eventually(within: .seconds(10)) { openDescriptors == 0 }
  }
}

/// Bytes that differ from place to place and from seed to seed.
func bytes(_ count: Int, seed: UInt64 = 1) -> Data {
  var state = seed
  var words: [UInt64] = []
  for _ in 0..<(count + 7) / 8 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    words.append(state ^ state >> 29)
  }
  return words.withUnsafeBytes { Data($0.prefix(count)) }
}
