import CalotypeLoading
import CalotypeTestKit
import FoundationEssentials
import Glibc
import Testing

@Suite("File loading", .timeLimit(.minutes(1)))
final class FileLoaderTests {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  private func file(_ name: String, _ data: Data) throws -> URL {
    let url = folder.appending(path: name)
    try data.write(to: url)
    return url
  }

  private func fail(_ url: URL, _ loader: FileLoader = FileLoader(), byteLimit: Int = 1 << 30) async
    -> LoadingError?
  {
    await loadingError { _ = try await loader.data(for: LoadRequest(url: url, byteLimit: byteLimit)) }
  }

  @Test(arguments: [1, 1_000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 5 << 20])
  func exact(count: Int) async throws {
    let url = try file("a b%é.png", pattern(count))
    let (data, response) = try await FileLoader().data(for: LoadRequest(url: url))
    #expect(data == pattern(count))
    #expect(response.expectedLength == count)
    #expect(response.status == nil)
    #expect(response.url == url)
  }

  @Test func empty() async throws {
    let url = try file("empty", Data())
    #expect(await fail(url) == .emptyBody(.url(url)))
  }

  @Test func missing() async throws {
    let url = folder.appending(path: "none")
    #expect(await fail(url) == .fileNotFound(url))
    let below = try file("plain", Data([1])).appending(path: "x")
    #expect(await fail(below) == .fileNotFound(below))
  }

  @Test func unreadable() async throws {
    let url = folder.appending(path: String(repeating: "x", count: 300))
    #expect(await fail(url)?.code == "fileUnreadable")
  }

  @Test func otherKinds() async throws {
    #expect(await fail(folder) == .notRegularFile(folder, kind: "a folder"))
    let fifo = folder.appending(path: "fifo")
    #expect(mkfifo(fifo.path, 0o600) == 0)
    #expect(await fail(fifo) == .notRegularFile(fifo, kind: "a FIFO"))
    let device = URL(filePath: "/dev/zero")
    #expect(await fail(device) == .notRegularFile(device, kind: "a device"))
  }

  @Test func limit() async throws {
    let url = try file("big", pattern(1_001))
    #expect(await fail(url, byteLimit: 1_000) == .tooLarge(.url(url), limit: 1_000, declared: 1_001))
    // This one claims to have no size.
    let endless = URL(filePath: "/proc/self/maps")
    #expect(await fail(endless, byteLimit: 100) == .tooLarge(.url(endless), limit: 100, declared: nil))
    let (data, response) = try await FileLoader().data(for: LoadRequest(url: endless))
    #expect(data.count > 100)
    #expect(response.expectedLength == nil)
  }

  @Test func fileThatShrinks() async throws {
    let url = try file("shrinking", pattern(3 << 20))
    var body = try await FileLoader().load(LoadRequest(url: url)).body.makeAsyncIterator()
    _ = try await body.next()
    #expect(truncate(url.path, 1 << 20) == 0)
    let error = await loadingError { _ = try await body.next() }
    #expect(error == .truncatedBody(url, received: 1 << 20, expected: 3 << 20))
    #expect(try await body.next() == nil)
  }

  @Test func fileThatGrows() async throws {
    let url = try file("growing", pattern(100))
    let response = try await FileLoader().load(LoadRequest(url: url))
    let handle = open(url.path, O_WRONLY | O_APPEND)
    #expect(write(handle, "more", 4) == 4)
    close(handle)
    var data = Data()
    for try await chunk in response.body { data.append(chunk) }
    #expect(data == pattern(100))
  }

  @Test func confinement() async throws {
    let inside = folder.appending(path: "in")
    let outside = folder.appending(path: "inside-not")
    for folder in [inside, outside] {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    let good = try file("in/a", Data([1]))
    let bad = try file("inside-not/a", Data([2]))
    let link = inside.appending(path: "link")
    #expect(symlink(bad.path, link.path) == 0)
    let innerLink = inside.appending(path: "inner")
    #expect(symlink(good.path, innerLink.path) == 0)
    let loader = FileLoader(roots: [inside.path, "/no/such/folder"])
    #expect(try await loader.data(for: LoadRequest(url: good)).0 == Data([1]))
    #expect(try await loader.data(for: LoadRequest(url: innerLink)).0 == Data([1]))
    #expect(await fail(bad, loader) == .outsideRoots(bad))
    #expect(await fail(link, loader) == .outsideRoots(link))
    let dots = try #require(URL(string: "file://\(inside.path)/../inside-not/a"))
    #expect(await fail(dots, loader)?.code == "outsideRoots")
    #expect(await fail(good, FileLoader(roots: []))?.code == "outsideRoots")
    #expect(try await FileLoader().data(for: LoadRequest(url: link)).0 == Data([2]))
  }

  @Test func oddURLs() async throws {
    let remote = try #require(URL(string: "file://example.org/a"))
    #expect(await fail(remote)?.code == "invalidURL")
    let nul = try #require(URL(string: "file://\(folder.path)/a%00b"))
    let error = await fail(nul)
    #expect(error?.code == "invalidURL")
    let local = try file("a", Data([1]))
    let named = try #require(URL(string: "file://localhost\(local.path)"))
    #expect(try await FileLoader().data(for: LoadRequest(url: named)).0 == Data([1]))
  }

  @Test func cancelled() async throws {
    let url = try file("a", pattern(3 << 20))
    let opened = Gate()
    let gate = Gate()
    let task = Task {
      let response = try await FileLoader().load(LoadRequest(url: url))
      opened.open()
      try? await gate.wait()
      var count = 0
      for try await chunk in response.body { count += chunk.count }
      return count
    }
    try await opened.wait()
    task.cancel()
    #expect(await wasCancelled(task))
  }
}
