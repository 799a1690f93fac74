import Calotype
import CalotypeTestKit
import FoundationEssentials
import Glibc
import PipelineSamples
import Testing

/// Memory, then the result on disk, then the original on disk, then the loader; and nothing bad is kept.
@Suite("Cache order")
struct CacheOrderTests {
  let server: ScriptedHTTPServer
  let folder: CacheFolder

  init() throws {
    server = try ScriptedHTTPServer()
    folder = try CacheFolder()
  }

  @Test("each tier answers when those above it are empty, with the same pixels")
  func order() async throws {
    server.route("/a.jpg", .body(try Samples.photo("stream.jpg")))
    let request = ImageRequest(url: server.url("/a.jpg"), thumbnail: .fit(width: 100, height: 100))
    let pipeline = ImagePipeline.isolated(disk: folder.diskCache())
    let loaded = try await pipeline.response(for: request)
    #expect(loaded.source == .loader)
    #expect(loaded.byteCount == Samples.stream?.count)
    await pipeline.settle()
    #expect(try await pipeline.response(for: request).source == .memory)
    #expect(pipeline.cachedImage(for: request) != nil)

    // A new process: nothing in memory.
    let second = ImagePipeline.isolated(disk: folder.diskCache())
    let found = try await second.response(for: request)
    #expect(found.source == .disk)
    #expect(found.image.bitmap == loaded.image.bitmap)
    #expect(found.image.info?.format == .jpeg)
    #expect(found.image.info?.size == PixelSize(width: 1731, height: 1151))
    #expect(try await second.response(for: request).source == .memory)

    // Another size: only the original helps.
    let other = try await second.response(
      for: ImageRequest(url: server.url("/a.jpg"), thumbnail: .fit(width: 50, height: 50)))
    #expect(other.source == .diskOriginal)
    #expect(server.requests(for: "/a.jpg").count == 1)
    await second.settle()
  }

  @Test("policies: cacheOnly never loads, reload always does, loaderOnly leaves no trace")
  func policies() async throws {
    server.route("/a.png", .body(try Samples.png()))
    let url = server.url("/a.png")
    let pipeline = ImagePipeline.isolated(disk: folder.diskCache())
    var request = ImageRequest(url: url, cachePolicy: .cacheOnly)
    await #expect(throws: PipelineError.notCached(url.absoluteString)) {
      try await pipeline.image(for: request)
    }
    #expect(server.requests.isEmpty)

    request.cachePolicy = .loaderOnly
    #expect(try await pipeline.response(for: request).source == .loader)
    request.cachePolicy = .cacheOnly
    await #expect(throws: PipelineError.self) { try await pipeline.image(for: request) }

    request.cachePolicy = .ignoreHTTPFreshness
    #expect(try await pipeline.response(for: request).source == .loader)
    await pipeline.settle()
    request.cachePolicy = .cacheOnly
    #expect(try await pipeline.response(for: request).source == .memory)
    request.cachePolicy = .reload
    #expect(try await pipeline.response(for: request).source == .loader)
    #expect(server.requests.count == 3)
    await pipeline.settle()
  }

  @Test("what is not an image, or not all of it, is an error and in no cache")
  func poison() async throws {
    let photo = try Samples.photo("stream.jpg")
    let page = Data("<!DOCTYPE html><title>Sign in</title>".utf8)
    let cut = photo.prefix(photo.count / 2)
    let cases: [(ScriptedReply, String)] = [
      (.body(page, headers: [("Content-Type", "image/jpeg")]), "unrecognizedFormat"),
      (.body(Data()), "emptyBody"),
      (.body(cut), "truncated"),
      (.truncated(cut, declared: photo.count), "truncatedBody"),
      // 403, because that there is none, as 404 says, is remembered.
      (.body(photo, status: 403), "httpStatus"),
    ]
    let pipeline = ImagePipeline.isolated(disk: folder.diskCache())
    let request = ImageRequest(url: server.url("/a.jpg"))
    for (reply, code) in cases {
      server.route("/a.jpg", reply)
      do {
        _ = try await pipeline.image(for: request)
        Issue.record("expected \(code)")
      } catch {
        #expect((error as? any CalotypeError)?.code == code)
      }
      await pipeline.settle()
      let disk = try #require(pipeline.configuration.diskCache)
      #expect(try await !disk.contains(request.sourceKey), "\(code)")
      #expect(pipeline.cachedImage(for: request) == nil)
    }
    server.route("/a.jpg", .body(photo))
    #expect(try await pipeline.image(for: request).width == 1731)
    await pipeline.settle()
  }

  @Test("an original on disk that cannot be decoded is loaded again, once")
  func damagedOriginal() async throws {
    let photo = try Samples.photo("stream.jpg")
    server.route("/a.jpg", .body(photo))
    let disk = folder.diskCache()
    let request = ImageRequest(url: server.url("/a.jpg"))
    try await disk.store(photo.prefix(photo.count / 2), metadata: RecordMetadata(), for: request.sourceKey)
    let pipeline = ImagePipeline.isolated(disk: disk)
    #expect(try await pipeline.response(for: request).source == .loader)
    await pipeline.settle()
    #expect(try await disk.read(request.sourceKey)?.data == photo)
    #expect(server.requests.count == 1)
  }

  @Test("a disk cache that fails in every way costs time, not images")
  func brokenDisk() async throws {
    server.route("/a.jpg", .body(try Samples.photo("stream.jpg")))
    let files = FaultyFileSystem()
    for operation in FaultyFileSystem.Operation.allCases { files.fail(operation, with: EIO) }
    var configuration = DiskCache.Configuration()
    configuration.folder = folder.url
    let pipeline = ImagePipeline.isolated(disk: DiskCache(configuration, fileSystem: files))
    let request = ImageRequest(url: server.url("/a.jpg"), thumbnail: .fit(width: 100, height: 100))
    #expect(try await pipeline.image(for: request).width == 100)
    await pipeline.settle()
    let statistics = pipeline.statistics
    #expect(statistics.cacheErrors > 0)
    #expect(statistics.lastCacheErrorCode != nil)

    // It heals by itself.
    files.heal()
    pipeline.configuration.memoryCache?.removeAll()
    #expect(try await pipeline.response(for: request).source == .loader)
    await pipeline.settle()
    pipeline.configuration.memoryCache?.removeAll()
    #expect(try await pipeline.response(for: request).source == .disk)
  }

  @Test("no-store is obeyed on disk; local files and data URLs are not copied into caches")
  func notStored() async throws {
    let png = try Samples.png()
    server.route("/a.png", .body(png, headers: [("Cache-Control", "private, no-store")]))
    let disk = folder.diskCache()
    let pipeline = ImagePipeline.isolated(disk: disk)
    let file = folder.url.appending(path: "local.png")
    try png.write(to: file)
    let inline = try #require(URL(string: "data:image/png;base64," + png.base64EncodedString()))
    for url in [server.url("/a.png"), file, inline] {
      #expect(try await pipeline.image(for: ImageRequest(url: url)).width == 8)
      await pipeline.settle()
    }
    #expect(try await disk.statistics().count == 0)
  }

  @Test(
    "a local file is decoded once, and again after each change of it; its thumbnails are kept, the file is not copied",
    arguments: [false, true])
  func localFiles(isThumbnail: Bool) async throws {
    let disk = folder.diskCache()
    let pipeline = ImagePipeline.isolated(disk: disk)
    let file = folder.url.appending(path: "local.png")
    let request = ImageRequest(url: file, thumbnail: isThumbnail ? .fit(width: 4, height: 4) : nil)
    func decodes(_ change: () throws -> Void) async throws -> Int {
      try change()
      // A change within the resolution of its clock could be followed by one that is not noticed.
      try await eventually { FileLoader().cachingRule(for: request.source) != .never }
      let before = pipeline.statistics.decodes
      for _ in 0..<1_000 { _ = try await pipeline.image(for: request) }
      return pipeline.statistics.decodes - before
    }
    func shade() async throws -> UInt8 {
      try await pipeline.image(for: request).bitmap.withUnsafeBytes { $0[0] }
    }
    #expect(try await decodes { try Samples.png(shade: 10).write(to: file) } == 1)
    #expect(try await shade() == 10)
    #expect(try await decodes { _ = utimes(file.path(), nil) } == 1)
    // As many bytes, within the same second, in another file and in the same.
    let (second, third) = (try Samples.png(shade: 20), try Samples.png(shade: 30))
    #expect(try await decodes { try second.write(to: file, options: .atomic) } == 1)
    #expect(try await shade() == 20)
    #expect(try await decodes { try third.write(to: file) } == 1)
    #expect(try await shade() == 30)
    #expect(try await decodes { _ = chmod(file.path(), 0o600) } == 1)
    await pipeline.settle()
    #expect(try await disk.statistics().count == (isThumbnail ? 5 : 0))
    let next = ImagePipeline.isolated(disk: disk)
    #expect(try await next.response(for: request).source == (isThumbnail ? .disk : .loader))
    try FileManager.default.removeItem(at: file)
    await #expect(throws: LoadingError.fileNotFound(file)) { try await pipeline.image(for: request) }
    for pipeline in [pipeline, next] { await pipeline.settle() }
  }

  @Test("a file that one loader may read is not found in a cache through another that may not")
  func roots() async throws {
    let disk = folder.diskCache()
    let file = folder.url.appending(path: "local.png")
    try Samples.png().write(to: file)
    let request = ImageRequest(url: file, thumbnail: .fit(width: 4, height: 4))
    try await eventually { FileLoader().cachingRule(for: request.source) != .never }
    let open = ImagePipeline.isolated(disk: disk)
    _ = try await open.image(for: request)
    await open.settle()
    #expect(try await disk.statistics().count == 1)
    let confined = ImagePipeline.isolated(disk: disk, loader: LoaderGroup([FileLoader(roots: ["/srv"])]))
    await #expect(throws: LoadingError.outsideRoots(file)) { try await confined.image(for: request) }
    #expect(FileLoader(roots: []).identity != FileLoader().identity)
  }

  @Test("no-store is obeyed for thumbnails too, in memory and on disk")
  func thumbnailsAreNotStored() async throws {
    server.route("/a.jpg", .body(try Samples.photo("stream.jpg"), headers: [("Cache-Control", "no-store")]))
    let request = ImageRequest(url: server.url("/a.jpg"), thumbnail: .fit(width: 20, height: 20))
    let pipeline = ImagePipeline.isolated(disk: folder.diskCache())
    for count in 1...2 {
      #expect(try await pipeline.response(for: request).source == .loader)
      await pipeline.settle()
      #expect(server.requests.count == count)
    }
    #expect(try await folder.diskCache().statistics().count == 0)
  }

  @Test("a partial image is delivered where it is allowed, and neither it nor its original is kept")
  func partial() async throws {
    let photo = try Samples.photo("stream.jpg")
    server.route("/a.jpg", .body(photo.prefix(photo.count / 2)))
    var request = ImageRequest(url: server.url("/a.jpg"))
    request.allowsPartial = true
    let pipeline = ImagePipeline.isolated(disk: folder.diskCache())
    #expect(try await pipeline.image(for: request).isPartial)
    await pipeline.settle()
    #expect(try await folder.diskCache().statistics().count == 0)
    server.route("/a.jpg", .body(photo))
    #expect(try await !pipeline.image(for: request).isPartial)
    await pipeline.settle()
  }

  @Test("a thumbnail kept as stored is found as stored")
  func asStored() async throws {
    let turned = try Data(contentsOf: Samples.fixture("jpeg/exif/f-orientation-6.jpg"))
    server.route("/a.jpg", .body(turned))
    var request = ImageRequest(url: server.url("/a.jpg"), thumbnail: .fit(width: 8, height: 8))
    request.appliesOrientation = false
    let pipeline = ImagePipeline.isolated(memory: false, disk: folder.diskCache())
    let made = try await pipeline.response(for: request)
    await pipeline.settle()
    let found = try await pipeline.response(for: request)
    #expect(made.source == .loader && found.source == .disk)
    #expect(found.image.bitmap == made.image.bitmap)
    #expect(found.image.orientation == .rightTop && made.image.orientation == .rightTop)
    await pipeline.settle()
  }

  @Test("the original is there for the next request while it is still being written")
  func joinsWhileStoring() async throws {
    server.route("/a.jpg", .body(try Samples.photo("stream.jpg")))
    let files = FaultyFileSystem()
    let (isWriting, mayWrite) = (Gate(), Gate())
    files.intercept { operation, _ in
      if operation == .create {
        isWriting.open()
        mayWrite.waitBlocking()
      }
    }
    var configuration = DiskCache.Configuration()
    configuration.folder = folder.url
    let pipeline = ImagePipeline.isolated(disk: DiskCache(configuration, fileSystem: files))
    let url = server.url("/a.jpg")
    _ = try await pipeline.data(for: url)
    try await isWriting.wait()
    _ = try await pipeline.data(for: url)
    let small = try await pipeline.image(
      for: ImageRequest(url: url, thumbnail: .fit(width: 10, height: 10), cachePolicy: .ignoreHTTPFreshness))
    #expect(small.width == 10)
    mayWrite.open()
    await pipeline.settle()
    #expect(server.requests.count == 1)
  }

  @Test("bytes with a name are cached in memory by their name, never on disk")
  func namedBytes() async throws {
    let pipeline = ImagePipeline.isolated(disk: folder.diskCache())
    let request = ImageRequest(source: .data(try Samples.png(), id: "upload-17"))
    #expect(try await pipeline.response(for: request).source == .loader)
    #expect(try await pipeline.response(for: request).source == .memory)
    #expect(try await pipeline.data(for: request).data == Samples.png())
    await pipeline.settle()
    #expect(try await folder.diskCache().statistics().count == 0)
  }

  @Test("data(for:) gives the served bytes and keeps them")
  func data() async throws {
    let photo = try Samples.photo("stream.jpg")
    server.route("/a.jpg", .body(photo, headers: [("Content-Type", "image/jpeg")]))
    let pipeline = ImagePipeline.isolated(disk: folder.diskCache())
    let first = try await pipeline.data(for: ImageRequest(url: server.url("/a.jpg")))
    #expect(first.data == photo && first.source == .loader && first.contentType == "image/jpeg")
    await pipeline.settle()
    let second = try await pipeline.data(for: ImageRequest(url: server.url("/a.jpg")))
    #expect(second.data == photo && second.source == .diskOriginal && second.contentType == "image/jpeg")
    #expect(server.requests.count == 1)
  }
}
