import CalotypeSupport
package import FoundationEssentials

@testable package import Calotype

/// A disk cache folder that is removed with its owner.
package final class CacheFolder: Sendable {
  package let url: URL

  package init() throws {
    url = URL(filePath: ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp")
      .appending(path: "calotype-tests-\(UInt64.random(in: 0 ... .max))", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Waits for longer than a busy machine holds a thread up.
  package var configuration: DiskCache.Configuration {
    DiskCache.Configuration(folder: url, storeTimeout: .seconds(60), readTimeout: .seconds(60))
  }

  package func diskCache() -> DiskCache { DiskCache(configuration) }
}
