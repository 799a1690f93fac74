@testable import CalotypeDisplay
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

@testable import Calotype

/// Variants on a network that comes and goes.
@Suite("Variants in a race", .timeLimit(.minutes(15)))
struct SlotVariantRaceTests {
  /// What a server says: at first anything may fail.
  private struct Weather {
    var random: SeededGenerator
    var isCalm = false

    /// How long it takes, and whether it fails.
    mutating func next() -> (latency: Int, fails: Bool) {
      (Int.random(in: 0..<8, using: &random), !isCalm && Int.random(in: 0..<3, using: &random) == 0)
    }
  }

  /// A picture has three shades: thumbnail, size between, original.
  private static let pictures = 40

  private func variants(_ user: Int, _ picture: Int) -> ImageVariants {
    let requests = (0..<3).map { ImageRequest(url: SlotStage.url("\(user)/\(picture * 3 + $0)")) }
    return ImageVariants(original: requests[2], thumbnail: requests[0], sizes: [requests[1]])
  }

  private func shade(_ request: ImageRequest?) -> Int? {
    request?.source.url.flatMap { Int($0.lastPathComponent) }
  }

  @Test("10,000 steps of 10 slots: the best that can be had is shown in the end, each caller ends once")
  func flapping() async throws {
    let stage = SlotStage()
    let seed = UInt64.random(in: 0 ... .max)
    let weather = Lock(Weather(random: SeededGenerator(seed: seed)))
    let bodies = try (0..<Self.pictures * 3).map { try Samples.png(shade: UInt8($0)) }
    let loader = FakeLoader { request in
      let (latency, fails) = weather.withLock { $0.next() }
      if latency > 0 { try await stage.clock.sleep(for: .milliseconds(latency)) }
      guard !fails, let shade = request.source.url.flatMap({ Int($0.lastPathComponent) }) else {
        throw SlotStage.Refused()
      }
      return .body(bodies[shade])
    }
    var configuration = stage.pipeline.configuration
    configuration.loader = loader
    let pipeline = ImagePipeline(configuration)
    let callers = Lock<[Int: Int]>([:])
    let slots = (0..<10).map { _ in ImageSlot(pipeline) }
    let networks = slots.map { _ in ManualNetworkCondition() }

    try await stage.whileTimePasses {
      let begun = await withTaskGroup(of: Int.self) { users in
        for user in slots.indices {
          users.addTask {
            await self.use(slots[user], networks[user], user, seed: seed &+ UInt64(user), callers)
          }
        }
        return await users.reduce(0, +)
      }
      weather.withLock { $0.isCalm = true }
      for (user, slot) in slots.enumerated() {
        for await state in slot.states where state.phase != .loading { break }
        await pipeline.settle()
        try await settle(slot, networks[user], NetworkCondition.allCases[user % 3])
      }
      for slot in slots { slot.cancel() }
      await pipeline.settle()
      #expect(pipeline.jobs.isEmpty)
      for network in networks { try await eventually { network.listenerCount == 0 } }
      try await eventually { callers.withLock({ $0.count }) >= begun }
    }
    #expect(callers.withLock { $0.values.allSatisfy { $0 == 1 } }, "seed \(seed)")
    try await loader.waitUntilIdle()
  }

  /// A thousand steps: the network changes, the owner loads another picture or gives up, time passes.
  ///
  /// - Returns: How many loads that were.
  private func use(
    _ slot: ImageSlot, _ network: ManualNetworkCondition, _ user: Int, seed: UInt64,
    _ callers: Lock<[Int: Int]>
  ) async -> Int {
    var random = SeededGenerator(seed: seed)
    var begun = 0
    func load() {
      let picture = Int.random(in: 0..<Self.pictures, using: &random)
      let caller = user * 10_000 + begun
      begun += 1
      let load = slot.load(variants(user, picture), network: network)
      check(slot.state, picture)
      Task {
        do {
          #expect(Int(try await load.value.image.shade) / 3 == picture)
        } catch {
          #expect(error is CancellationError || error is SlotStage.Refused || error is PipelineError)
        }
        callers.withLock { $0[caller, default: 0] += 1 }
      }
    }
    load()
    for _ in 0..<1000 {
      switch Int.random(in: 0..<20, using: &random) {
      case 0: load()
      case 1: slot.cancel()
      case 2..<10: network.current = NetworkCondition.allCases.randomElement(using: &random) ?? .offline
      default: for _ in 0..<Int.random(in: 0..<30, using: &random) { await Task.yield() }
      }
      check(slot.state)
    }
    load()
    return begun
  }

  /// Sets the network to this, and waits for the best that is to be had then.
  private func settle(
    _ slot: ImageSlot, _ network: ManualNetworkCondition, _ condition: NetworkCondition
  ) async throws {
    let picture = try #require(shade(slot.state.request)) / 3
    let user = try #require(
      slot.state.request?.source.url?.pathComponents.dropFirst().first.flatMap { Int($0) })
    let variants = variants(user, picture)
    var cached: Set<ImageVariants.Variant> = []
    for variant in variants.all {
      guard let request = variants[variant], await slot.pipeline.cache.tiers(of: request) != [] else {
        continue
      }
      cached.insert(variant)
    }
    network.current = condition == .offline ? .metered : .offline
    network.current = condition
    let plan = VariantPlan.choose(among: variants, cached: cached, condition: condition)
    guard let best = plan.variant else { return }
    // It may have been better before.
    let state = try await slot.first { state in
      state.phase == .succeeded && state.shownVariant.map { $0 >= best } == true
    }
    check(state, picture)
    #expect(condition != .unmetered || state.shownVariant == .original)
  }

  private func check(_ state: ImageSlot.State, _ picture: Int? = nil) {
    let asked = shade(state.request).map { $0 / 3 }
    #expect(picture == nil || asked == picture)
    if let shown = state.image?.shade {
      #expect(Int(shown) / 3 == asked)
      let variants: [ImageVariants.Variant] = [.thumbnail, .size(0), .original]
      if case .image = state.content {
        #expect(state.shownVariant == variants[Int(shown) % 3])
      } else {
        #expect(state.shownVariant == nil)
      }
    }
    if state.phase == .succeeded { #expect(state.shownVariant == state.variant && state.error == nil) }
    #expect((state.phase == .failed) == (state.error != nil))
  }
}
