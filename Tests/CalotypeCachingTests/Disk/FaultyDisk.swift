import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials

@testable import CalotypeCaching

/// A folder for caches, and a file system that can be made to fail or to wait.
struct FaultyDisk {
  let folder: TemporaryFolder
  let files = FaultyFileSystem()

  init() throws {
    folder = try TemporaryFolder()
  }

  func cache(
    _ change: (inout DiskCache.Configuration) -> Void = { _ in },
    now: @escaping @Sendable () -> Date = { Date.now }
  ) -> DiskCache {
    DiskCache(folder.configuration(change), fileSystem: files, now: now)
  }

  /// Nothing is written until the gate is open.
  func holdWrites() -> Gate {
    let gate = Gate()
    files.intercept { operation, path throws(FileSystemError) in
      if operation == .create, path.hasSuffix("/new") { gate.wait() }
    }
    return gate
  }
}
