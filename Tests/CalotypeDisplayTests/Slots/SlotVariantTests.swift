@testable import CalotypeDisplay
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

@testable import Calotype

/// A slot that follows the network.
@Suite("Variants in a slot", .timeLimit(.minutes(5)))
struct SlotVariantTests {
  private let stage = SlotStage()
  private let network = ManualNetworkCondition()

  /// Shade 1 for the original, 2 for the thumbnail, 3 for the size between.
  private func variants(original: Gate? = nil, thumbnail: Gate? = nil) throws -> ImageVariants {
    ImageVariants(
      original: try stage.request("original", shade: 1, behind: original),
      thumbnail: try stage.request("thumbnail", shade: 2, behind: thumbnail),
      sizes: [try stage.request("size", shade: 3)])
  }

  private func requests(_ name: String) -> Int {
    stage.loader.requests(for: SlotStage.url(name)).count
  }

  private func end(_ slot: ImageSlot) async throws {
    slot.cancel()
    try await eventually { network.listenerCount == 0 }
    try await stage.expectNothingLeft()
  }

  @Test("unmetered: the original; metered: the thumbnail, or the original if that is preferred")
  func online() async throws {
    let slot = ImageSlot(stage.pipeline)
    network.current = .metered
    #expect(try await slot.load(variants(), network: network).value.image.shade == 2)
    #expect(slot.state.variant == .thumbnail && slot.state.transition == .fade(.milliseconds(500)))
    #expect(slot.state.request?.source.url == SlotStage.url("thumbnail"))
    #expect(requests("original") == 0)
    let preferred = slot.load(try variants(), network: network, preference: { .original })
    // Until then, the best that is in memory.
    #expect(slot.shown == "placeholder 2" && slot.state.shownVariant == nil)
    #expect(try await preferred.value.image.shade == 1)
    #expect(slot.state.variant == .original && requests("original") == 1)

    await stage.pipeline.settle()
    try await stage.pipeline.cache.removeAll()
    network.current = .unmetered
    #expect(try await slot.load(variants(), network: network).value.image.shade == 1)
    #expect(requests("original") == 2 && requests("size") == 0)
    try await end(slot)
  }

  @Test(
    "the original that is in memory is shown at once, whatever the network",
    arguments: NetworkCondition.allCases)
  func originalInMemory(_ condition: NetworkCondition) async throws {
    network.current = condition
    let variants = try variants()
    _ = try await stage.pipeline.image(for: variants.original)
    let slot = ImageSlot(stage.pipeline)
    slot.load(variants, network: network, placeholder: .image(try SlotStage.picture(9)))
    #expect(
      slot.shown == "image 1" && slot.state.variant == .original && slot.state.transition == .none)
    #expect(network.listenerCount == 0 && stage.loader.requests.count == 1)
  }

  @Test(
    "the original that is on disk is taken as it is, however stale, where asking costs something")
  func originalOnDisk() async throws {
    let folder = try CacheFolder()
    let stage = SlotStage(disk: folder.diskCache(), memory: false)
    for name in ["original", "thumbnail"] {
      let shade: UInt8 = name == "original" ? 1 : 2
      stage.loader.route(
        SlotStage.url(name),
        .body(try Samples.png(shade: shade), headers: [.cacheControl: "max-age=0"]))
    }
    let variants = ImageVariants(
      original: ImageRequest(url: SlotStage.url("original")),
      thumbnail: ImageRequest(url: SlotStage.url("thumbnail")))
    _ = try await stage.pipeline.image(for: variants.original)
    await stage.pipeline.settle()
    let slot = ImageSlot(stage.pipeline)
    for (condition, count) in [(NetworkCondition.offline, 1), (.metered, 1), (.unmetered, 2)] {
      network.current = condition
      #expect(try await slot.load(variants, network: network).value.image.shade == 1)
      await stage.pipeline.settle()
      #expect(stage.loader.requests.count == count)
    }
    slot.cancel()
    try await stage.expectNothingLeft()
  }

  @Test("offline: nothing is asked for; the best that is cached, else the placeholder and an error")
  func offline() async throws {
    network.current = .offline
    let variants = try variants()
    let slot = ImageSlot(stage.pipeline)
    let load = slot.load(variants, network: network, placeholder: .image(try SlotStage.picture(9)))
    await #expect(throws: PipelineError.notCached(variants.original.source.description)) {
      try await load.value
    }
    #expect(slot.shown == "placeholder 9" && slot.state.phase == .failed)
    #expect(stage.loader.requests.isEmpty)
    for (request, shade) in [(variants.thumbnail, 2), (variants.sizes[0], 3)]
      as [(ImageRequest, UInt8)]
    {
      _ = try await stage.pipeline.image(for: request)
      let count = stage.loader.requests.count
      let load = slot.load(variants, network: network)
      // It is there already, in place of the one that is not; the task of the slot may show it as the image before the next line.
      #expect(["placeholder \(shade)", "image \(shade)"].contains(slot.shown))
      #expect(try await load.value.image.shade == shade)
      #expect(slot.shown == "image \(shade)" && slot.state.transition == .none)
      #expect(stage.loader.requests.count == count)
    }
    #expect(slot.state.variant == .size(0))
    try await end(slot)
  }

  @Test(
    "when the network gets better, the original follows; until then the other stays; worse changes nothing any more"
  )
  func upgrade() async throws {
    let gate = Gate()
    network.current = .offline
    let slot = ImageSlot(stage.pipeline)
    let load = slot.load(
      try variants(original: gate), network: network, placeholder: .image(try SlotStage.picture(9)))
    await #expect(throws: PipelineError.self) { try await load.value }
    network.current = .metered
    try await slot.first { $0.content.text == "image 2" && $0.phase == .succeeded }
    network.current = .unmetered
    try await slot.first { $0.phase == .loading && $0.variant == .original }
    #expect(slot.shown == "image 2" && slot.state.isPrevious && slot.state.shownVariant == .thumbnail)
    try await stage.loader.waitForRequests(SlotStage.url("original"))
    network.current = .metered
    gate.open()
    try await slot.first { $0.content.text == "image 1" && $0.phase == .succeeded }
    #expect(slot.state.transition == .fade(.milliseconds(500)) && !slot.state.isPrevious)
    #expect(slot.state.shownVariant == .original)
    let version = slot.state.contentVersion
    // There is nothing better: nobody listens any more.
    try await eventually { network.listenerCount == 0 }
    network.current = .offline
    #expect(slot.state.contentVersion == version && stage.loader.requests.count == 2)
    try await end(slot)
  }

  @Test("a better variant takes over while the other is still being loaded; who waits gets it")
  func takeOver() async throws {
    let (gate, never) = (Gate(), Gate())
    network.current = .metered
    let slot = ImageSlot(stage.pipeline)
    let load = slot.load(try variants(original: gate, thumbnail: never), network: network)
    try await stage.loader.waitForRequests(SlotStage.url("thumbnail"))
    network.current = .unmetered
    try await stage.loader.waitForCancellations()
    try await stage.loader.waitForRequests(SlotStage.url("original"))
    #expect(slot.state.variant == .original && slot.state.phase == .loading)
    gate.open()
    #expect(try await load.value.image.shade == 1)
    #expect(slot.shown == "image 1")
    try await end(slot)
  }

  @Test(
    "one who waits for the load that was taken over gives up the one in its place, and what follows the network"
  )
  func cancelTakeOver() async throws {
    network.current = .metered
    let slot = ImageSlot(stage.pipeline)
    let load = slot.load(try variants(original: Gate(), thumbnail: Gate()), network: network)
    try await stage.loader.waitForRequests(SlotStage.url("thumbnail"))
    network.current = .unmetered
    try await stage.loader.waitForRequests(SlotStage.url("original"))
    load.cancel()
    await #expect(throws: CancellationError.self) { try await load.value }
    #expect(slot.state.phase == .cancelled)
    try await end(slot)
  }

  @Test(
    "an original that fails leaves the other where it is, and is tried again when the network changes"
  )
  func failedUpgrade() async throws {
    network.current = .metered
    let slot = ImageSlot(stage.pipeline)
    var variants = try variants()
    variants.original = stage.failing("none")
    _ = try await slot.load(
      variants, network: network, placeholder: .image(try SlotStage.picture(9))
    ).value
    network.current = .unmetered
    try await slot.first { $0.phase == .failed }
    #expect(slot.shown == "image 2" && slot.state.isPrevious)
    #expect((slot.state.error as? LoadingError)?.code == "httpStatus")
    network.current = .offline
    try await slot.first { $0.phase == .succeeded && $0.variant == .thumbnail }
    #expect(slot.shown == "image 2" && slot.state.error == nil)
    stage.loader.route(SlotStage.url("none"), .body(try Samples.png(shade: 1)))
    network.current = .unmetered
    try await slot.first { $0.content.text == "image 1" }
    try await end(slot)
  }

  @Test(
    "whatever the owner does ends it: another load, a picture, cancelling, letting go",
    arguments: 0..<4)
  func ended(_ way: Int) async throws {
    network.current = .metered
    var slot: ImageSlot? = ImageSlot(stage.pipeline)
    _ = try await slot?.load(variants(), network: network).value
    #expect(network.listenerCount == 1)
    switch way {
    case 0: _ = try await slot?.loaded(stage.request("other", shade: 5))
    case 1: slot?.show(try SlotStage.picture(5))
    case 2: slot?.cancel()
    default: slot = nil
    }
    try await eventually { network.listenerCount == 0 }
    network.current = .unmetered
    try await stage.expectNothingLeft()
    #expect(requests("original") == 0)
    #expect(slot == nil || slot?.shown == (way == 2 ? "image 2" : way == 0 ? "image 5" : "given 5"))
  }

  @Test("the preference is asked for each time")
  func preference() async throws {
    network.current = .metered
    let preference = Lock(VariantPreference.automatic)
    let slot = ImageSlot(stage.pipeline)
    _ = try await slot.load(
      variants(), network: network, preference: { preference.withLock { $0 } }
    ).value
    #expect(slot.shown == "image 2")
    preference.withLock { $0 = .original }
    network.current = .offline
    network.current = .metered
    try await slot.first { $0.content.text == "image 1" }
    #expect(requests("thumbnail") == 1)
    try await end(slot)
  }

  @Test("what is in the program or in a file needs no network")
  func local() async throws {
    network.current = .offline
    let pipeline = ImagePipeline.isolated()
    let slot = ImageSlot(pipeline)
    let original = ImageRequest(source: .data(try Samples.png(shade: 4), id: "original"))
    let variants = ImageVariants(original: original, thumbnail: ImageRequest(url: SlotStage.url("thumbnail")))
    #expect(try await slot.load(variants, network: network).value.image.shade == 4)
    #expect(slot.state.variant == .original)
    slot.cancel()
    try await eventually { network.listenerCount == 0 }
    await pipeline.settle()
    #expect(pipeline.jobs.isEmpty)
  }
}
