@testable import CalotypeDisplay
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import PipelineSamples
import Testing

@testable import Calotype

/// Placeholders from the disk cache.
@Suite("Placeholders of a slot, on disk", .timeLimit(.minutes(5)))
struct SlotStoredPlaceholderTests {
  private let folder: CacheFolder
  private let stage: SlotStage
  /// The server answers once it is open.
  private let gate = Gate()

  init() throws {
    folder = try CacheFolder()
    stage = SlotStage(disk: folder.diskCache(), memory: false)
  }

  /// A request whose image of shade 1 is on disk, stale at once; the server then has one of shade 2, or refuses, once the
  /// gate is open.
  private func stored(_ name: String = "a", thumbnail: Bool = false, thenFails: Bool = false) async throws
    -> ImageRequest
  {
    let url = SlotStage.url(name)
    let headers: HTTPFields = [.cacheControl: "max-age=0", .eTag: "\"1\""]
    stage.loader.route(url, .body(try Samples.png(shade: 1), headers: headers))
    var request = ImageRequest(url: url)
    if thumbnail { request.thumbnail = .fit(width: 4, height: 4) }
    _ = try await stage.pipeline.image(for: request)
    await stage.pipeline.settle()
    // Not an error for which a stale image is allowed.
    let later: FakeReply =
      thenFails
      ? .status(404)
      : .body(try Samples.png(shade: 2), headers: [.cacheControl: "max-age=0", .eTag: "\"2\""])
    stage.loader.route(url, later.behind(gate))
    return request
  }

  private func slot() throws -> ImageSlot { ImageSlot(stage.pipeline) }

  @Test(
    "the stale image of the same URL, without the network, until the new one is there",
    arguments: [false, true])
  func stale(thumbnail: Bool) async throws {
    let request = try await stored(thumbnail: thumbnail)
    let slot = try slot()
    let recorder = EventRecorder<ImageSlot.State>()
    async let recording: Void = recorder.record(slot.states)
    let load = slot.load(
      request, placeholder: .first([.cached(request), .image(try SlotStage.picture(9))]))
    // Reading takes a while.
    #expect(slot.shown == "placeholder 9")
    let state = try await slot.first { $0.content.text == "placeholder 1" }
    #expect(state.phase == .loading && state.transition == .none && state.contentVersion == 2)
    // The one to fill the cache, and that of the load.
    try await stage.loader.waitForRequests(SlotStage.url("a"), count: 2)
    gate.open()
    #expect(try await load.value.image.shade == 2)
    #expect(slot.shown == "image 2" && slot.state.contentVersion == 3)
    slot.core.close()
    await recording
    #expect(stage.loader.requests(for: SlotStage.url("a")).count == 2)
    try await stage.expectNothingLeft()
  }

  @Test("a placeholder on disk stays when the load fails; one for failures replaces it")
  func failure() async throws {
    let request = try await stored(thenFails: true)
    let slot = try slot()
    let load = slot.load(request, placeholder: .cached(request))
    #expect(slot.shown == "nothing")
    try await slot.first { $0.content.text == "placeholder 1" }
    gate.open()
    await #expect(throws: LoadingError.self) { try await load.value }
    #expect(slot.shown == "placeholder 1" && slot.state.phase == .failed)
    // The server's 404 is cached in place of that image.
    let kept = try await stored("kept")
    var options = ImageSlot.Options()
    options.placeholder = .image(try SlotStage.picture(9))
    options.placeholderTiming = .onFailure
    options.failurePlaceholder = .cached(kept)
    await #expect(throws: LoadingError.self) {
      try await slot.loaded(stage.failing("none"), options: options)
    }
    // Also after the load has ended.
    try await slot.first { $0.content.text == "placeholder 1" }
    #expect(slot.state.phase == .failed)
    slot.showPlaceholder(.cached(kept))
    #expect(slot.shown == "nothing" && slot.state.phase == .idle)
    try await slot.first { $0.content.text == "placeholder 1" }
    try await stage.expectNothingLeft()
  }

  @Test("of several the first that is cached; those that are not cost no request")
  func several() async throws {
    let request = try await stored()
    let unknown = stage.hanging("unknown")
    let slot = try slot()
    slot.load(
      stage.hanging("b"),
      placeholder: .first([.cached(unknown), .cached(request), .image(try SlotStage.picture(9))]))
    try await slot.first { $0.content.text == "placeholder 1" }
    slot.load(stage.hanging("c"), placeholder: .first([.cached(unknown), .image(try SlotStage.picture(8))]))
    try await eventually { slot.core.machine.value.search == nil }
    #expect(slot.shown == "placeholder 8")
    // A better one is not looked for.
    slot.load(stage.hanging("d"), placeholder: .first([.image(try SlotStage.picture(7)), .cached(request)]))
    #expect(slot.shown == "placeholder 7" && slot.core.machine.value.search == nil)
    #expect(stage.loader.requests(for: SlotStage.url("unknown")).isEmpty)
    try await stage.expectNothingLeft(after: slot)
  }

  @Test("a request that does not read the disk finds nothing there")
  func tiers() async throws {
    var request = try await stored()
    request.readTiers = .memory
    let slot = try slot()
    slot.load(stage.hanging("b"), placeholder: .cached(request))
    #expect(slot.shown == "nothing" && slot.core.machine.value.search == nil)
    try await stage.expectNothingLeft(after: slot)
  }

  @Test("the previous picture stays while a better placeholder is read")
  func previous() async throws {
    let request = try await stored()
    let slot = try slot()
    slot.show(try SlotStage.picture(3))
    slot.load(stage.hanging("b"), placeholder: .first([.cached(request), .previous]))
    #expect(slot.shown == "given 3" && slot.state.isPrevious)
    try await slot.first { $0.content.text == "placeholder 1" }
    #expect(!slot.state.isPrevious)
    try await stage.expectNothingLeft(after: slot)
  }

  @Test("after a delay, reading begins with the delay")
  func delayed() async throws {
    let request = try await stored()
    var options = ImageSlot.Options()
    options.placeholder = .cached(request)
    options.placeholderTiming = .after(.milliseconds(200))
    let clock = TestClock()
    let slot = ImageSlot(stage.pipeline, options: options, clock: clock)
    slot.load(stage.hanging("b"))
    try await clock.waitForSleepers()
    #expect(slot.core.machine.value.search == nil)
    clock.advance(by: .milliseconds(200))
    try await slot.first { $0.content.text == "placeholder 1" }
    try await stage.expectNothingLeft(after: slot)
  }

  @Test("what was read too late is not shown", arguments: 0..<4)
  func late(way: Int) async throws {
    let request = try await stored()
    let slot = try slot()
    slot.load(stage.hanging("b"), placeholder: .cached(request))
    let search = try #require(slot.core.machine.value.search)
    let picture = try SlotStage.picture(1)
    switch way {
    case 0: slot.cancel()
    case 1: slot.show(try SlotStage.picture(3))
    case 2: slot.load(stage.hanging("c"))
    default:
      let load = try #require(slot.core.machine.value.current)
      slot.core.apply { $0.preview(picture, of: load) }
    }
    #expect(slot.core.machine.value.search == nil)
    let effects = slot.core.apply { $0.place(picture, of: search) }
    // It may have been found before.
    #expect(!effects.isDone && !effects.isNews)
    try await stage.expectNothingLeft(after: slot)
  }

  @Test("a stale image in memory is one at once")
  func memory() async throws {
    let stage = SlotStage()
    let time = ManualTime()
    var configuration = ImagePipeline.Configuration(
      loader: stage.loader, memoryCache: MemoryCache(byteLimit: 64 << 20, now: { time.instant }),
      diskCache: nil,
      now: { time.date })
    configuration.clock = stage.clock
    let pipeline = ImagePipeline(configuration)
    let url = SlotStage.url("a")
    let headers: HTTPFields = [.cacheControl: "max-age=1"]
    stage.loader.route(url, .body(try Samples.png(shade: 1), headers: headers))
    let request = ImageRequest(url: url)
    _ = try await pipeline.image(for: request)
    time.advance(by: .seconds(100))
    #expect(pipeline.cachedImage(for: request) == nil)
    stage.loader.route(url, .hang)
    let slot = ImageSlot(pipeline)
    slot.load(request, placeholder: .cached(request))
    #expect(slot.shown == "placeholder 1" && slot.state.phase == .loading)
    try await stage.expectNothingLeft(after: slot)
  }
}
