import CalotypeTestKit
import FoundationEssentials
import Glibc
import Testing

@testable import CalotypeCaching
@testable import CalotypeSupport

/// Folders and records of other users, which may be planted.
@Suite("Owners of folders", .enabled(if: geteuid() == 0, "needs the right to give files away"))
struct OwnerTests {
  private let key = CacheKey("key")
  private let folder: TemporaryFolder
  private static let stranger: uid_t = 65534

  init() throws { folder = try TemporaryFolder() }

  private func cache(_ files: any FileSystem = POSIXFileSystem()) -> DiskCache {
    DiskCache(folder.configuration(), fileSystem: files)
  }

  /// Gives what is there away.
  private func give(_ path: String, to owner: uid_t = stranger) { #expect(lchown(path, owner, owner) == 0) }

  private func giveAll() throws {
    give(folder.cache.path)
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.cache.path) {
      give(folder.cache.path + "/" + name)
    }
  }

  private func isForeign(_ body: () async throws(CachingError) -> Void) async -> Bool {
    do throws(CachingError) {
      try await body()
      return false
    } catch {
      guard case .foreignOwner(let path) = error else { return false }
      #expect(error.code == "cacheForeignOwner" && !error.isRetryable)
      #expect(error.description.contains(path) && error.description.contains("trustedOwners"))
      return path.hasPrefix(folder.cache.path)
    }
  }

  @Test("nothing is read from a folder of another user, and nothing written there")
  func foreignFolder() async throws {
    try await cache().store(Data([1]), for: key)
    #expect(try await cache().read(key)?.data == Data([1]))
    try giveAll()
    #expect(await isForeign { () throws(CachingError) in _ = try await cache().read(key) })
    #expect(await isForeign { () throws(CachingError) in try await cache().store(Data([2]), for: key) })
    #expect(
      await isForeign { () throws(CachingError) in try await cache().store(Data([2]), for: CacheKey("2")) })
    #expect(await isForeign { () throws(CachingError) in _ = try await cache().entries() })
    #expect(await isForeign { () throws(CachingError) in try await cache().removeAll() })
    var status = stat()
    #expect(stat(folder.record(key).path, &status) == 0 && status.st_uid == Self.stranger)
    // Unless they are trusted.
    let trusting = cache(POSIXFileSystem(trustedOwners: [Self.stranger]))
    #expect(try await trusting.read(key)?.data == Data([1]))
    try await trusting.store(Data([2]), for: CacheKey("2"))
  }

  @Test("an empty folder of another user stays empty")
  func emptyFolder() async throws {
    #expect(mkdir(folder.cache.path, 0o777) == 0)
    give(folder.cache.path)
    #expect(await isForeign { () throws(CachingError) in try await cache().store(Data([1]), for: key) })
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.cache.path).isEmpty)
  }

  @Test("a record of another user in a folder of ours is not believed, and the next store replaces it")
  func foreignRecord() async throws {
    let cache = cache()
    try await cache.store(Data([1]), for: key)
    give(folder.record(key).path)
    #expect(await isForeign { () throws(CachingError) in _ = try await self.cache().read(key) })
    #expect(await isForeign { () throws(CachingError) in _ = try await cache.read(key) })
    #expect(await isForeign { () throws(CachingError) in _ = try await cache.contains(key) })
    try await cache.store(Data([2]), for: key)
    #expect(try await cache.read(key)?.data == Data([2]))
  }

  @Test("lists of another user are made anew", arguments: ["index", "journal"])
  func foreignLists(name: String) async throws {
    let first = cache()
    for number in 0..<50 { try await first.store(Data([1]), for: CacheKey("\(number)")) }
    let path = folder.cache.appending(path: "v2/" + name).path
    if access(path, F_OK) != 0 { return }
    give(path)
    let second = cache()
    try await second.store(Data([2]), for: key)
    #expect(try await second.statistics().count == 51)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_uid == geteuid())
  }

  @Test("users other than root read what root has stored")
  func folderOfRoot() throws {
    var status = stat()
    status.st_uid = 0
    try POSIXFileSystem().check(status, "")
    status.st_uid = geteuid()
    try POSIXFileSystem().check(status, "")
    status.st_uid = Self.stranger
    #expect(throws: FileSystemError.untrustedOwner("a")) { try POSIXFileSystem().check(status, "a") }
  }
}
