@testable import CalotypeDisplay
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

@testable import Calotype

/// A slot that follows the network, and cannot have what it chose.
@Suite("Variants that fail", .timeLimit(.minutes(2)))
struct SlotVariantFailureTests {
  private let stage = SlotStage()
  private let network = ManualNetworkCondition()
  private let original = SlotStage.url("original")

  private func end(_ slot: ImageSlot, _ stage: SlotStage) async throws {
    slot.cancel()
    try await eventually { network.listenerCount == 0 }
    try await stage.expectNothingLeft()
  }

  @Test(
    "an original of which only is remembered that there is none is not a cached one",
    arguments: [NetworkCondition.offline, .metered], [true, false])
  func remembered(_ condition: NetworkCondition, isThumbnailCached: Bool) async throws {
    let folder = try CacheFolder()
    let stage = SlotStage(disk: folder.diskCache(), memory: false)
    let variants = ImageVariants(
      original: stage.failing("original"), thumbnail: try stage.request("thumbnail", shade: 2))
    await #expect(throws: LoadingError.self) { try await stage.pipeline.image(for: variants.original) }
    if isThumbnailCached { _ = try await stage.pipeline.image(for: variants.thumbnail) }
    await stage.pipeline.settle()
    #expect(await stage.pipeline.cache.tiers(of: variants.original) != [])
    network.current = condition
    let slot = ImageSlot(stage.pipeline)
    let load = slot.load(variants, network: network, placeholder: .image(try SlotStage.picture(9)))
    if condition == .offline, !isThumbnailCached {
      await #expect(throws: PipelineError.notCached(variants.original.source.description)) {
        try await load.value
      }
      #expect(slot.shown == "placeholder 9" && slot.state.shownVariant == nil)
    } else {
      #expect(try await load.value.image.shade == 2)
      #expect(slot.shown == "image 2" && slot.state.shownVariant == .thumbnail && slot.state.error == nil)
    }
    #expect(stage.loader.requests(for: original).count == 1)
    #expect(stage.loader.requests.count == (slot.state.phase == .failed ? 1 : 2))
    // It is not tried again whenever the network changes: what is there is not drawn twice.
    let version = slot.state.contentVersion
    network.current = condition == .offline ? .metered : .offline
    if slot.state.phase == .failed {
      try await slot.first { $0.content.text == "image 2" }
    } else {
      try await eventually { slot.core.machine.value.isOutdated }
      #expect(slot.state.contentVersion == version)
    }
    try await end(slot, stage)
  }

  @Test(
    "what a cache has but does not give is left out: another tier was asked, the file has gone",
    arguments: [true, false])
  func missing(isFile: Bool) async throws {
    let folder = try CacheFolder()
    let stage = SlotStage(disk: folder.diskCache(), memory: false)
    var original = try stage.request("original", shade: 1)
    _ = try await stage.pipeline.image(for: original)
    if isFile {
      original = ImageRequest(url: URL(filePath: "/nonexistent/original.png"))
    } else {
      original.readTiers = .memory
    }
    let variants = ImageVariants(original: original, thumbnail: try stage.request("thumbnail", shade: 2))
    _ = try await stage.pipeline.image(for: variants.thumbnail)
    await stage.pipeline.settle()
    network.current = .offline
    let slot = ImageSlot(stage.pipeline)
    #expect(try await slot.load(variants, network: network).value.image.shade == 2)
    #expect(slot.state.shownVariant == .thumbnail && stage.loader.requests(for: self.original).count == 1)
    try await end(slot, stage)
  }

  /// An original that fails when the gate is opened, and is there from then on; a thumbnail that may be in memory.
  private func variants(failingAt gate: Gate, isThumbnailCached: Bool) async throws -> ImageVariants {
    stage.loader.route(original, .status(503).behind(gate), .body(try Samples.png(shade: 1)))
    let thumbnail = try stage.request("thumbnail", shade: 2)
    if isThumbnailCached { _ = try await stage.pipeline.image(for: thumbnail) }
    return ImageVariants(original: ImageRequest(url: original), thumbnail: thumbnail)
  }

  /// The network has changed, and the slot knows that.
  private func change(to condition: NetworkCondition, _ slot: ImageSlot) async throws {
    network.current = condition
    try await eventually { slot.core.machine.value.isOutdated }
  }

  @Test(
    "the network goes while the original is on its way: when that fails, what is cached is shown",
    arguments: [true, false])
  func goesOffline(isThumbnailCached: Bool) async throws {
    let gate = Gate()
    let slot = ImageSlot(stage.pipeline)
    let variants = try await variants(failingAt: gate, isThumbnailCached: isThumbnailCached)
    let load = slot.load(variants, network: network)
    try await stage.loader.waitForRequests(original)
    try await change(to: .offline, slot)
    #expect(slot.state.variant == .original && slot.state.phase == .loading)
    gate.open()
    if isThumbnailCached {
      #expect(try await load.value.image.shade == 2)
      #expect(slot.shown == "image 2" && slot.state.variant == .thumbnail && slot.state.error == nil)
    } else {
      await #expect(throws: PipelineError.notCached(variants.original.source.description)) {
        try await load.value
      }
    }
    #expect(stage.loader.requests(for: original).count == 1)
    network.current = .unmetered
    try await slot.first { $0.content.text == "image 1" }
    try await end(slot, stage)
  }

  @Test("the network goes and comes again while the old connection dies: the original is tried once more")
  func comesAgain() async throws {
    let gate = Gate()
    let slot = ImageSlot(stage.pipeline)
    let load = slot.load(
      try await variants(failingAt: gate, isThumbnailCached: true), network: network)
    try await stage.loader.waitForRequests(original)
    try await change(to: .offline, slot)
    network.current = .unmetered
    gate.open()
    #expect(try await load.value.image.shade == 1)
    #expect(slot.shown == "image 1" && slot.state.phase == .succeeded)
    #expect(stage.loader.requests(for: original).count == 2)
    try await end(slot, stage)
  }

  @Test("the network gets better between a failure and the next choice: that is not missed")
  func betterWhileChoosing() throws {
    var books = SlotStateMachine()
    let (load, follower) = (SlotLoad(ImageSlot.Options()), TaskBag())
    let best = SlotTarget(request: ImageRequest(url: original), variant: .original)
    let least = SlotTarget(request: ImageRequest(url: SlotStage.url("thumbnail")), variant: .thumbnail)
    _ = books.begin(load, for: best, found: nil, placeholder: [], follower: follower)
    _ = books.upgrade(to: nil, load.options, found: nil, by: follower)
    #expect(books.fail(load, CancellationError(), []).isOutdated && books.state.phase == .loading)
    // It chooses the thumbnail now. Meanwhile:
    _ = books.upgrade(to: best, load.options, found: nil, by: follower)
    #expect(books.choose(least, for: load).isOutdated && books.state.variant == .original)
    #expect(books.choose(best, for: load).isDone)
    #expect(books.fail(load, CancellationError(), []).endings.count == 1)
    #expect(books.state.phase == .failed)
    #expect(books.upgrade(to: best, load.options, found: nil, by: follower).begun != nil)
    // Somebody else's follower has no say.
    #expect(!books.upgrade(to: best, load.options, found: nil, by: TaskBag()).isDone)
    #expect(!books.isOutdated)
  }

  @Test(
    "what was offered and not shown yet stays while the original is loaded, and when that fails",
    arguments: [true, false], [true, false])
  func offered(isShownBefore: Bool, fails: Bool) async throws {
    let gate = Gate()
    var options = ImageSlot.Options()
    options.delivery = .manual
    options.placeholder = .image(try SlotStage.picture(9))
    let slot = ImageSlot(stage.pipeline, options: options)
    let variants = try await variants(failingAt: gate, isThumbnailCached: false)
    if !fails { _ = try stage.request("original", shade: 1, behind: gate) }
    network.current = .metered
    #expect(try await slot.load(variants, network: network).value.image.shade == 2)
    network.current = .unmetered
    try await stage.loader.waitForRequests(original)
    #expect(slot.shown == "placeholder 9" && slot.state.arrived?.text == "image 2")
    #expect(slot.state.phase == .loading && slot.state.shownVariant == nil)
    func deliver() {
      #expect(slot.deliver())
      #expect(slot.shown == "image 2" && slot.state.transition == .fade(.milliseconds(500)))
      #expect(slot.state.isPrevious && slot.state.shownVariant == .thumbnail)
    }
    if isShownBefore { deliver() }
    gate.open()
    try await slot.first { $0.phase != .loading }
    if fails {
      #expect(slot.state.phase == .failed)
      if !isShownBefore { deliver() }
      #expect(slot.shown == "image 2" && slot.state.arrived == nil)
    } else {
      #expect(slot.state.arrived?.text == "image 1" && slot.deliver())
      #expect(slot.shown == "image 1" && slot.state.shownVariant == .original && !slot.state.isPrevious)
    }
    try await end(slot, stage)
  }

  @Test("what a better one has offered goes when it fails, and what was offered before it comes back")
  func offeredBefore() throws {
    var books = SlotStateMachine()
    var options = ImageSlot.Options()
    options.delivery = .manual
    let (load, follower) = (SlotLoad(options), TaskBag())
    let request = ImageRequest(url: original)
    let response = ImageResponse(
      image: try SlotStage.picture(2), source: .loader, byteCount: nil, duration: .zero)
    _ = books.begin(
      load, for: SlotTarget(request: request, variant: .thumbnail), found: nil, placeholder: [],
      follower: follower)
    _ = books.succeed(load, with: response)
    let best = SlotTarget(request: request, variant: .original)
    let better = try #require(books.upgrade(to: best, options, found: nil, by: follower).begun)
    _ = books.preview(try SlotStage.picture(1), of: better)
    #expect(books.state.arrived?.text == "preview 1")
    _ = books.fail(better, CancellationError(), [])
    #expect(books.state.arrived?.text == "image 2")
    _ = books.deliver()
    #expect(books.state.shownVariant == .thumbnail && books.state.arrived == nil)
  }

  @Test(
    "an original that fails leaves a smaller one from memory, unless failure has a placeholder of its own",
    arguments: [ImageSlot.PlaceholderTiming.immediate, .onFailure], [true, false])
  func standIn(_ timing: ImageSlot.PlaceholderTiming, isExplicit: Bool) async throws {
    let gate = Gate()
    var options = ImageSlot.Options()
    options.placeholder = .image(try SlotStage.picture(9))
    options.failurePlaceholder = isExplicit ? .image(try SlotStage.picture(7)) : nil
    options.placeholderTiming = timing
    let slot = ImageSlot(stage.pipeline, options: options)
    let load = slot.load(
      try await variants(failingAt: gate, isThumbnailCached: true), network: network)
    #expect(slot.shown == (timing == .immediate ? "placeholder 2" : "nothing"))
    let version = slot.state.contentVersion
    // What is shown stays, even if nobody could find it again.
    if timing == .immediate { try await stage.pipeline.cache.removeAll() }
    gate.open()
    await #expect(throws: LoadingError.self) { try await load.value }
    #expect(slot.shown == (isExplicit ? "placeholder 7" : "placeholder 2"))
    #expect(slot.state.contentVersion == (timing == .immediate && !isExplicit ? version : version + 1))
    try await end(slot, stage)
  }

  private final class Starts: PipelineObserving {
    let count = Lock(0)
    func requestStarted(_ request: ImagePipeline.ObservedRequest) { count.withLock { $0 += 1 } }
  }

  @Test("observers are told of what was taken from memory, not of what was only looked at")
  func observed() async throws {
    let starts = Starts()
    var configuration = stage.pipeline.configuration
    configuration.observers = [starts]
    let pipeline = ImagePipeline(configuration)
    let variants = ImageVariants(
      original: try stage.request("original", shade: 1), thumbnail: try stage.request("thumbnail", shade: 2))
    _ = try await pipeline.image(for: variants.thumbnail)
    network.current = .metered
    let slot = ImageSlot(pipeline)
    let choices = Lock(0)
    let preference: @Sendable () -> VariantPreference = {
      choices.withLock { $0 += 1 }
      return .automatic
    }
    _ = try await slot.load(variants, network: network, preference: preference).value
    #expect(starts.count.withLock { $0 } == 2)
    for step in 1...10 {
      network.current = step % 2 == 0 ? .metered : .offline
      try await eventually { choices.withLock({ $0 }) > step }
    }
    network.current = .unmetered
    try await slot.first { $0.content.text == "image 1" }
    #expect(starts.count.withLock { $0 } == 3)
    // There is nothing better to wait for.
    try await eventually { network.listenerCount == 0 }
    slot.load(variants, network: network)
    #expect(slot.shown == "image 1" && starts.count.withLock { $0 } == 4)
    await pipeline.settle()
  }
}
