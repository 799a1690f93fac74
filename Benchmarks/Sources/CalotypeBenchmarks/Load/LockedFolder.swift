import BenchmarkHarness
import Calotype
import CalotypeCaching
import CalotypeTestKit
import FoundationEssentials
import Glibc

/// Images that are loaded while another process holds the lock of the cache's folder.
enum LockedFolder {
  /// Images delivered to 16 callers in so many seconds: with a disk cache whose folder another process has locked, or
  /// without a disk cache.
  static func run(seconds: Int, isLocked: Bool) async throws -> [Double] {
    let body = try noise(side: 280)
    let loader = FakeLoader { _ in FakeReply.body(body, headers: [.cacheControl: "max-age=1000"]) }
    let folder = try TemporaryFolder()
    let cache = isLocked ? DiskCache(.init(folder: folder.url)) : nil
    let pipeline = ImagePipeline(.init(loader: loader, memoryCache: nil, diskCache: cache))
    if let url = URL(string: "http://host/first") { _ = try await pipeline.image(for: url) }
    await pipeline.flush()
    var holder: ChildProcess?
    if isLocked {
      let child = try ChildProcess(
        "/proc/self/exe", arguments: ["--load-once", "hold-lock", folder.path("v2/lock")])
      guard try child.read() == "held" else { throw ChildProcessError(description: "no lock") }
      holder = child
    }
    let (delivered, next) = (LoadCounter(), LoadCounter())
    let end = ContinuousClock.now + .seconds(seconds)
    let callers = (0..<16).map { _ in
      Task {
        while !Task.isCancelled {
          guard let url = URL(string: "http://host/\(next.increment())") else { return }
          _ = try await pipeline.image(for: url)
          delivered.increment()
        }
      }
    }
    try await Task.sleep(until: end)
    let count = delivered.value
    for caller in callers { caller.cancel() }
    withExtendedLifetime(holder) {}
    return [Double(count)]
  }

  /// What the other process does: takes the lock, says so, and holds it until standard input ends.
  static func hold(_ path: String) throws -> [Double] {
    let descriptor = open(path, O_RDWR)
    print(flock(descriptor, LOCK_EX) == 0 ? "held" : "refused")
    fflush(nil)
    while readLine() != nil {}
    exit(0)
  }

  /// A PNG that does not compress.
  private static func noise(side: Int) throws -> Data {
    let bytes = LocalServer.bytes(side * side * 4)
    let bitmap = try Bitmap(size: PixelSize(width: side, height: side)) { pixels in
      for index in pixels.indices { pixels[index] = index % 4 == 3 ? 255 : bytes[index] }
      return true
    }
    return try CoderRegistry.standard.encode(Image(bitmap: bitmap), as: .png)
  }
}
