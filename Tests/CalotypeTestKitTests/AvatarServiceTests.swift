import Calotype
import CalotypeTestKit
import FoundationEssentials
import Testing

/// How a program tests what it builds on Calotype: no server, no files, no sleeping. The documentation shows parts of it.
@Suite("Example: a service of avatars", .timeLimit(.minutes(5)))
struct AvatarServiceTests {
  private let loader = FakeLoader()
  private let cache = FaultyCache()
  private let service: AvatarService

  init() throws {
    let pipeline = ImagePipeline(
      .init(loader: loader, memoryCache: MemoryCache(byteLimit: 1 << 20), diskCache: cache))
    service = AvatarService(pipeline, folder: try #require(URL(string: "https://avatars.example/")))
  }

  @Test("users with and without a picture")
  func found() async throws {
    loader.route(service.url(of: "ann"), .body(try SampleImages.still(.jpeg(), width: 300, height: 200)))
    let avatars = try await service.avatars(of: ["ann", "bob"])
    #expect(avatars.keys.sorted() == ["ann"])
    #expect(avatars["ann"]?.width == 64 && avatars["ann"]?.height == 64)
  }

  @Test("a list that shows one user twenty times asks for one picture")
  func shared() async throws {
    let gate = Gate()
    let url = service.url(of: "ann")
    loader.route(url, .body(try SampleImages.still()).behind(gate))
    let service = service
    try await withThrowingTaskGroup(of: Image?.self) { group in
      for _ in 0..<20 { group.addTask { try await service.avatar(of: "ann") } }
      try await loader.waitForRequests(url)
      gate.open()
      for try await image in group { #expect(image != nil) }
    }
    #expect(loader.requests(for: url).count == 1)
  }

  @Test("who leaves the list takes its loads along")
  func cancelled() async throws {
    let users = ["ann", "bob", "cem"]
    for user in users { loader.route(service.url(of: user), .hang) }
    let service = service
    let task = Task { try await service.avatars(of: users) }
    for user in users { try await loader.waitForRequests(service.url(of: user)) }
    #expect(loader.running == 3)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await loader.waitUntilIdle()
    #expect(loader.cancellations == 3)
  }

  @Test("a broken connection is an error, and the next attempt works")
  func again() async throws {
    let url = service.url(of: "ann")
    let reply = FakeReply.body(try SampleImages.still(width: 100, height: 100))
    loader.route(url, reply.cut(after: 50), reply)
    await #expect(throws: LoadingError.self) { try await service.avatar(of: "ann") }
    #expect(try await service.avatar(of: "ann") != nil)
  }

  @Test("a full disk does no harm")
  func fullDisk() async throws {
    cache.fail(.store, with: .diskFull(path: "/var/cache"))
    loader.route(service.url(of: "ann"), .body(try SampleImages.still()))
    #expect(try await service.avatar(of: "ann") != nil)
    try await cache.waitForCalls(.store)
    #expect(cache.keys.isEmpty)
  }
}
