import CalotypeLoading
import CalotypeTestKit
import FoundationEssentials
import Glibc
import TarLoader
import Testing

/// Archives made by the `tar` of the system.
@Suite("Tar archives", .timeLimit(.minutes(1)))
final class TarLoaderTests {
  private let folder: URL
  private let loader: TarLoader
  private let long = (1...6).map { "folder-\($0)-\(String(repeating: "x", count: 25))" }.joined(
    separator: "/")

  init() throws {
    folder = try LocalServer.makeFolder()
    loader = TarLoader(roots: [folder.path])
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  private func write(_ name: String, _ data: Data) throws {
    let url = folder.appending(path: "in/" + name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
  }

  /// Packs the folder `in` and returns the path of the archive.
  private func pack(_ options: String...) throws -> String {
    try pack(options)
  }

  private func pack(_ options: [String]) throws -> String {
    let tar = try #require(LocalServer.path(of: "tar"))
    let archive = folder.appending(path: "\(UUID().uuidString).tar").path
    let command = [tar] + options + ["-cf", archive, "-C", folder.appending(path: "in").path, "."]
    try #require(try LocalServer.run(command))
    return archive
  }

  private func load(_ entry: String, in archive: String, with loader: TarLoader? = nil) async throws -> Data {
    try await (loader ?? self.loader).data(for: LoadRequest(url: TarLoader.url(of: entry, in: archive))).0
  }

  private func fail(
    _ entry: String, in archive: String, with loader: TarLoader? = nil, byteLimit: Int = 1 << 30
  ) async throws -> LoadingError? {
    let request = LoadRequest(url: try TarLoader.url(of: entry, in: archive), byteLimit: byteLimit)
    return await loadingError { _ = try await (loader ?? self.loader).data(for: request) }
  }

  /// Open descriptors of `path`.
  private func descriptors(of path: String) throws -> Int {
    let real = try #require(realpath(path, nil).map { String(cString: $0) })
    return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)) == real
    }
  }

  @Test(arguments: ["v7", "ustar", "pax", "gnu", "oldgnu"])
  func formats(format: String) async throws {
    let names = [
      "holiday/a.jpg", "holiday/b c#%.png", "é/ü.gif", "x", "-", String(repeating: "n", count: 95),
    ]
    let sizes = [100_000, 512, 513, 1, 511, 700_001]
    for (index, name) in names.enumerated() { try write(name, pattern(sizes[index], seed: UInt64(index))) }
    var all = Array(zip(names, sizes))
    if format != "v7" {
      // 198 bytes: the prefix of ustar, or a header of its own.
      try write(long + "/deep.png", pattern(5_000, seed: 6))
      all.append((long + "/deep.png", 5_000))
    }
    if format != "v7", format != "ustar" {
      let name = String(repeating: "m", count: 255)
      try write(name, pattern(6_000, seed: 7))
      all.append((name, 6_000))
    }
    let archive = try pack("--format=\(format)")
    for (index, (name, size)) in all.enumerated() {
      #expect(try await load(name, in: archive) == pattern(size, seed: UInt64(index)), "\(name)")
    }
    #expect(try await load("./holiday//a.jpg", in: archive).count == 100_000)
    #expect(try await fail("holiday/none", in: archive)?.code == "fileNotFound")
    #expect(try await fail("holiday", in: archive)?.code == "notRegularFile")
  }

  @Test func head() async throws {
    try write("a.jpg", pattern(300_000))
    let archive = try pack()
    let url = try TarLoader.url(of: "a.jpg", in: archive)
    let response = try await LoaderGroup.standard.adding(loader).load(LoadRequest(url: url))
    #expect(response.url == url)
    #expect(response.expectedLength == 300_000)
    #expect(response.status == nil)
    var sizes: [Int] = []
    for try await chunk in response.body { sizes.append(chunk.count) }
    #expect(sizes == [256 << 10, 300_000 - (256 << 10)])
  }

  @Test func severalArchives() async throws {
    let small = TarLoader(roots: [folder.path], limits: TarLimits(archives: 2))
    var archives: [String] = []
    for number in 1...4 {
      try write("a", Data([UInt8(number)]))
      archives.append(try pack())
    }
    for _ in 0..<3 {
      for (index, archive) in archives.enumerated() {
        #expect(try await load("a", in: archive, with: small) == Data([UInt8(index + 1)]))
      }
    }
    let none = TarLoader(roots: [folder.path], limits: TarLimits(archives: 0))
    #expect(try await load("a", in: archives[0], with: none) == Data([1]))
  }

  @Test func links() async throws {
    try write("a", pattern(1_000))
    try write("z", pattern(10))
    let inside = folder.appending(path: "in").path
    #expect(symlink("a", inside + "/soft") == 0)
    #expect(link(inside + "/a", inside + "/hard") == 0)
    #expect(mkfifo(inside + "/fifo", 0o600) == 0)
    for format in ["v7", "ustar", "pax", "gnu"] {
      let archive = try pack("--format=\(format)", "--sort=name", "--exclude=./fifo")
      #expect(try await load("a", in: archive) == pattern(1_000))
      #expect(try await load("z", in: archive) == pattern(10))
      for name in ["soft", "hard"] {
        #expect(try await fail(name, in: archive)?.code == "notRegularFile", "\(name) of \(format)")
      }
    }
    let archive = try pack()
    #expect(try await fail("fifo", in: archive)?.code == "notRegularFile")
  }

  /// Holes are not in the archive; what comes behind such an entry still is where it should be.
  @Test(arguments: [
    ["gnu"], ["pax", "--sparse-version=0.0"], ["pax", "--sparse-version=0.1"],
    ["pax", "--sparse-version=1.0"],
  ])
  func sparseFiles(options: [String]) async throws {
    try write("b", Data())
    let path = folder.appending(path: "in/b").path
    let handle = open(path, O_WRONLY)
    // More pieces than one header has room for.
    for piece in 0..<40 { #expect(pwrite(handle, "x", 1, off_t(piece << 16)) == 1) }
    close(handle)
    try write("c", pattern(999))
    let archive = try pack(["-S", "--sort=name", "--format=\(options[0])"] + options.dropFirst())
    #expect(try await load("c", in: archive) == pattern(999))
    #expect(try await fail("b", in: archive)?.code == "notRegularFile")
  }

  @Test func changedArchives() async throws {
    try write("a", Data([1]))
    let archive = try pack()
    #expect(try await load("a", in: archive) == Data([1]))
    try write("a", Data([2, 2]))
    try write("b", Data([3]))
    let next = try pack()
    #expect(rename(next, archive) == 0)
    #expect(try await load("a", in: archive) == Data([2, 2]))
    #expect(try await load("b", in: archive) == Data([3]))
  }

  @Test func limits() async throws {
    try write("a", pattern(1_000))
    try write("b", pattern(1_000))
    let archive = try pack("--format=pax")
    let url = try TarLoader.url(of: "a", in: archive)
    #expect(
      try await fail("a", in: archive, byteLimit: 999) == .tooLarge(.url(url), limit: 999, declared: 1_000))
    #expect(try await loader.data(for: LoadRequest(url: url, byteLimit: 1_000)).0 == pattern(1_000))
    for limits in [TarLimits(entries: 2), TarLimits(headerBytes: 4 * 512), TarLimits(nameBytes: 1)] {
      let strict = TarLoader(roots: [folder.path], limits: limits)
      let error = try await fail("a", in: archive, with: strict)
      #expect(error?.code == "protocolError")
      #expect(error?.description.contains("raise the limit") == true)
    }
    // The folder, two files.
    let exact = TarLoader(roots: [folder.path], limits: TarLimits(entries: 3, nameBytes: 2))
    #expect(try await load("a", in: archive, with: exact) == pattern(1_000))
  }

  @Test func confinement() async throws {
    try write("a", Data([1]))
    let archive = try pack()
    let roots = folder.appending(path: "roots").path
    try FileManager.default.createDirectory(atPath: roots, withIntermediateDirectories: true)
    let confined = TarLoader(roots: [roots, "/no/such/folder"])
    #expect(symlink(archive, roots + "/link.tar") == 0)
    for path in [archive, roots + "/link.tar", roots + "/../" + URL(filePath: archive).lastPathComponent] {
      #expect(try await fail("a", in: path, with: confined)?.code == "outsideRoots", "\(path)")
    }
    #expect(link(archive, roots + "/copy.tar") == 0)
    #expect(try await load("a", in: roots + "/copy.tar", with: confined) == Data([1]))
    #expect(try await fail("a", in: archive, with: TarLoader(roots: []))?.code == "outsideRoots")
  }

  @Test func whatIsNoArchive() async throws {
    #expect(try await fail("a", in: folder.path + "/none.tar")?.code == "fileNotFound")
    #expect(try await fail("a", in: folder.path)?.code == "outsideRoots")
    try write("a", pattern(5_000))
    #expect(try await fail("a", in: folder.path + "/in")?.code == "notRegularFile")
    let fifo = folder.path + "/fifo"
    #expect(mkfifo(fifo, 0o600) == 0)
    #expect(try await fail("a", in: fifo)?.code == "notRegularFile")
    let packed = try pack("--gzip")
    let error = try await fail("a", in: packed)
    #expect(error?.code == "protocolError")
    #expect(error?.description.contains("compressed") == true)
  }

  @Test(arguments: [
    ("tar:///a.tar", "names no entry"), ("tar:///a.tar#", "names no entry"), ("tar:///a.tar#.", "empty"),
    ("tar:///a.tar#a/../b", "leads out"), ("tar:///a.tar#%2E%2E/b", "leads out"),
    ("tar://host/a.tar#a", "names a host"), ("tar:a.tar#a", "not absolute"), ("tar:///a%00.tar#a", "NUL"),
  ])
  func unusableURLs(text: String, reason: String) async throws {
    let url = try #require(URL(string: text))
    guard
      case .invalidURL(url, let found) = await loadingError({
        _ = try await loader.load(LoadRequest(url: url))
      })
    else {
      Issue.record("not refused: \(text)")
      return
    }
    #expect(found.contains(reason))
  }

  @Test func otherSources() async throws {
    let other = LoadRequest(url: URL(filePath: "/a.tar"))
    #expect(!loader.accepts(other.source))
    #expect(loader.accepts(.url(try #require(URL(string: "TAR:///a.tar#b")))))
    #expect(await loadingError { _ = try await loader.load(other) } == .unsupportedScheme(other.source))
    #expect(throws: LoadingError.self) { try TarLoader.url(of: "a", in: "relative.tar") }
  }

  @Test func emptyEntry() async throws {
    try write("a", Data())
    #expect(try await fail("a", in: pack())?.code == "emptyBody")
  }

  @Test func closedAtTheEnd() async throws {
    try write("a", pattern(600_000))
    let archive = try pack()
    var iterator: LoadBody.Iterator? = try await loader.load(
      LoadRequest(url: TarLoader.url(of: "a", in: archive))
    ).body.makeAsyncIterator()
    #expect(try await iterator?.next()?.count == 256 << 10)
    #expect(try descriptors(of: archive) == 1)
    iterator = nil
    #expect(try descriptors(of: archive) == 0)
    let response = try await loader.load(LoadRequest(url: TarLoader.url(of: "a", in: archive)))
    #expect(try await response.body.collected() == pattern(600_000))
    #expect(try descriptors(of: archive) == 0)
  }

  @Test func cancelledInTheMiddle() async throws {
    try write("a", pattern(2 << 20))
    let archive = try pack()
    let request = LoadRequest(url: try TarLoader.url(of: "a", in: archive))
    let (begun, goOn) = (Gate(), Gate())
    let loader = self.loader
    let task = Task {
      var count = 0
      for try await chunk in try await loader.load(request).body {
        count += chunk.count
        begun.open()
        try? await goOn.wait()
      }
      return count
    }
    try await begun.wait()
    task.cancel()
    goOn.open()
    #expect(await wasCancelled(task))
    #expect(try descriptors(of: archive) == 0)
  }

  @Test func cancelledBefore() async throws {
    let request = LoadRequest(url: try TarLoader.url(of: "a", in: folder.path + "/none.tar"))
    let (gate, loader) = (Gate(), self.loader)
    let task = Task {
      try? await gate.wait()
      return try await loader.load(request).expectedLength
    }
    task.cancel()
    #expect(await wasCancelled(task))
  }

  @Test func archiveThatShrinks() async throws {
    try write("a", pattern(1 << 20))
    let archive = try pack()
    let url = try TarLoader.url(of: "a", in: archive)
    var body = try await loader.load(LoadRequest(url: url)).body.makeAsyncIterator()
    _ = try await body.next()
    #expect(truncate(archive, 400_000) == 0)
    let error = await loadingError { _ = try await body.next() }
    guard case .truncatedBody(url, let received, 1 << 20) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(received < 400_000)
    #expect(try await body.next() == nil)
  }

  @Test func manyAtOnce() async throws {
    for index in 0..<20 { try write("\(index)", pattern(300_000, seed: UInt64(index))) }
    let archive = try pack()
    let loader = self.loader
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<60 {
        let request = LoadRequest(url: try TarLoader.url(of: "\(index % 20)", in: archive))
        group.addTask {
          let (data, _) = try await loader.data(for: request)
          #expect(data == pattern(300_000, seed: UInt64(index % 20)))
        }
      }
      try await group.waitForAll()
    }
    #expect(try descriptors(of: archive) == 0)
  }
}
