@testable import CalotypeDisplay
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

@testable import Calotype

/// Everything at once, at random.
@Suite("Slots in a race", .timeLimit(.minutes(15)))
struct SlotRaceTests {
  /// What there is in place of images, each kind in shades of its own: of images there are those up to 60.
  private struct Pictures: Sendable {
    private let all: [Image]

    init() throws { all = try (0..<256).map { try SlotStage.picture(UInt8($0)) } }

    /// In place of the image of this shade.
    func placeholder(_ shade: Int) -> Image { all[60 + shade] }
    /// When that could not be had.
    func failure(_ shade: Int) -> Image { all[120 + shade] }
    func given(_ number: Int) -> Image { all[180 + number % 60] }
    /// Of the slot.
    var standard: Image { all[255] }
  }

  /// What a slot is about, as its owner knows.
  private enum Deed {
    case load(shade: Int, keeps: String?)
    case show(Int)
    case placeholder
  }

  /// How callers ended.
  private struct Endings {
    var succeeded = 0
    var failed = 0
    var cancelled = 0
    /// Of each caller by its number: how often.
    var callers: [Int: Int] = [:]
  }

  @Test(
    "10,000 deeds over 20 slots: nothing of a replaced load is ever seen, each caller ends once, nothing is left"
  )
  func reloads() async throws {
    let shades = 60
    let base = SlotStage()
    let loader = try base.serve(shades: shades)
    var configuration = base.pipeline.configuration
    configuration.loader = loader
    let pipeline = ImagePipeline(configuration)
    let clock = base.clock
    let endings = Lock(Endings())
    let seed = UInt64.random(in: 0 ... .max)
    let isDone = Lock(false)
    let pictures = try Pictures()

    let begun = await withTaskGroup(of: Void.self) { group in
      group.addTask {
        // Time passes.
        while !isDone.withLock({ $0 }) {
          clock.advance(by: .milliseconds(1))
          await Task.yield()
        }
      }
      let begun = await withTaskGroup(of: Int.self) { users in
        for user in 0..<20 {
          users.addTask {
            await self.use(
              pipeline, clock, pictures, shades: shades, seed: seed &+ UInt64(user), user: user,
              endings: endings)
          }
        }
        return await users.reduce(0, +)
      }
      isDone.withLock { $0 = true }
      return begun
    }
    let counts = endings.withLock { $0 }
    #expect(counts.callers.count == begun && counts.callers.values.allSatisfy { $0 == 1 }, "seed \(seed)")
    #expect(counts.succeeded + counts.failed + counts.cancelled == begun && begun > 7000, "seed \(seed)")
    #expect(counts.succeeded > 500 && counts.failed > 10 && counts.cancelled > 500, "\(counts)")
    await pipeline.settle()
    #expect(pipeline.jobs.isEmpty)
    try await loader.waitUntilIdle()
    try await eventually { clock.sleeperCount == 0 }
  }

  /// One owner of one slot, who does 500 things with it and looks at what is shown all the time.
  ///
  /// - Returns: How many loads that were.
  private func use(
    _ pipeline: ImagePipeline, _ clock: TestClock, _ pictures: Pictures, shades: Int, seed: UInt64,
    user: Int, endings: Lock<Endings>
  ) async -> Int {
    var random = SeededGenerator(seed: seed)
    let indicator = RecordingIndicator()
    var chosen = ImageSlot.Options()
    chosen.placeholder = .image(pictures.standard)
    chosen.placeholderTiming = [.immediate, .after(.milliseconds(3)), .onFailure][user % 3]
    chosen.delivery = user % 5 == 4 ? .manual : .automatic
    let options = chosen
    let slot = ImageSlot(pipeline, options: options, indicator: indicator, clock: clock)
    let begun = await withTaskGroup(of: Void.self) { group in
      let watch = Task {
        // Each state is whole: all of it is of the same deed.
        for await state in slot.states { check(state, options, user) }
      }
      var (last, begun) = (-1, 0)
      for number in 0..<500 {
        let deed: Deed
        switch Int.random(in: 0..<20, using: &random) {
        case 0:
          slot.show(pictures.given(number))
          deed = .show(number)
        case 1:
          if Bool.random(using: &random) { slot.showPlaceholder() } else { slot.load(nil as URL?) }
          deed = .placeholder
        case let kind:
          // Half of them were asked for before, by somebody; never the same twice in a row.
          let shade = (max(0, last) + Int.random(in: 1..<shades, using: &random)) % shades
          last = shade
          let name = Bool.random(using: &random) ? "\(number % 7)/\(shade)" : "\(user)-\(number)/\(shade)"
          var its = options
          its.placeholder = .image(pictures.placeholder(shade))
          its.failurePlaceholder = .image(pictures.failure(shade))
          if kind < 5 { its.placeholder = .first([.previous, its.placeholder]) }
          let load = slot.load(ImageRequest(url: SlotStage.url(name)), options: its)
          let state = slot.state
          deed = .load(shade: shade, keeps: kind < 5 && state.isPrevious ? state.content.text : nil)
          begun += 1
          group.addTask { await self.wait(for: load, shade, caller: user * 500 + number, endings) }
        }
        check(slot.state, options, user, deed)
        for _ in 0..<Int.random(in: 0..<40, using: &random) {
          await Task.yield()
          check(slot.state, options, user, deed)
          if options.delivery == .manual { slot.deliver() }
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
          // These have time to end.
          for await state in slot.states where state.phase != .loading { break }
          check(slot.state, options, user, deed)
        } else if Int.random(in: 0..<10, using: &random) == 0 {
          slot.cancel()
          let version = slot.state.contentVersion
          for _ in 0..<5 { await Task.yield() }
          #expect(slot.state.contentVersion == version && slot.state.phase != .loading)
        }
      }
      slot.cancel()
      watch.cancel()
      await watch.value
      return begun
    }
    #expect(await indicator.isWellFormed, "user \(user)")
    return begun
  }

  private func wait(for load: ImageSlot.Load, _ shade: Int, caller: Int, _ endings: Lock<Endings>) async {
    do {
      let response = try await load.value
      #expect(Int(response.image.shade) == shade)
      endings.withLock { $0.succeeded += 1 }
    } catch is CancellationError {
      endings.withLock { $0.cancelled += 1 }
    } catch {
      #expect(error is SlotStage.Refused && shade % 13 == 12)
      endings.withLock { $0.failed += 1 }
    }
    endings.withLock { $0.callers[caller, default: 0] += 1 }
  }

  /// Checks that a state is of one deed, and that deed if it is known.
  private func check(
    _ state: ImageSlot.State, _ options: ImageSlot.Options, _ user: Int, _ deed: Deed? = nil
  ) {
    let shown = state.content.text
    let asked = state.request?.source.url.flatMap { Int($0.lastPathComponent) }
    var allowed: Set<String>
    switch deed {
    case .load(let shade, _)?: #expect(asked == shade, "user \(user)")
    case .show(let number)?: #expect(asked == nil && shown == "given \(180 + number % 60)", "user \(user)")
    case .placeholder?: #expect(asked == nil && shown == "placeholder 255", "user \(user)")
    case nil: break
    }
    guard let shade = asked else {
      // Without a request there is an error.
      #expect(
        state.phase == (state.error == nil ? .idle : .failed) && state.arrived == nil && !state.isPrevious)
      #expect(state.error == nil || state.error as? SlotError == .noSource, "user \(user)")
      let isGiven = if case .given = state.content { true } else { false }
      #expect(isGiven || ["placeholder 255", "nothing"].contains(shown), "user \(user): \(shown)")
      return
    }
    #expect((state.error != nil) == (state.phase == .failed), "user \(user)")
    #expect(state.arrived.map { $0.text == "image \(shade)" } ?? true, "user \(user)")
    if state.isPrevious {
      #expect(state.content.isPicture && state.phase != .failed, "user \(user): \(shown)")
      if case .load(_, let keeps)? = deed { #expect(shown == keeps, "user \(user)") }
      return
    }
    switch state.phase {
    case .failed:
      allowed = ["placeholder \(120 + shade)"]
      #expect(state.error is SlotStage.Refused && shade % 13 == 12)
    case .succeeded where options.delivery == .automatic: allowed = ["image \(shade)"]
    case .succeeded: allowed = ["image \(shade)", "placeholder \(60 + shade)", "nothing"]
    default: allowed = ["placeholder \(60 + shade)", "nothing"]
    }
    switch options.placeholderTiming {
    case .immediate: allowed.remove("nothing")
    case .after: break
    case .onFailure: allowed.remove("placeholder \(60 + shade)")
    }
    #expect(allowed.contains(shown), "user \(user): \(shown), \(state.phase)")
  }

  @Test("eight owners of one slot: each load ends once, and the last one is shown")
  func oneSlot() async throws {
    let base = SlotStage()
    let loader = try base.serve(shades: 12)
    var configuration = base.pipeline.configuration
    configuration.loader = loader
    let pipeline = ImagePipeline(configuration)
    let clock = base.clock
    let indicator = RecordingIndicator()
    let slot = ImageSlot(pipeline, indicator: indicator)
    let (endings, isDone) = (Lock(0), Lock(false))
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        while !isDone.withLock({ $0 }) {
          clock.advance(by: .milliseconds(1))
          await Task.yield()
        }
      }
      await withTaskGroup(of: Void.self) { owners in
        for owner in 0..<8 {
          owners.addTask {
            for number in 0..<250 {
              let request = ImageRequest(url: SlotStage.url("\(owner)-\(number)/\(number % 12)"))
              do {
                if number % 3 == 0 {
                  _ = try await slot.loaded(request)
                } else {
                  slot.load(request)
                  self.check(slot.state)
                }
              } catch {
                #expect(error is CancellationError)
              }
              endings.withLock { $0 += 1 }
            }
          }
        }
      }
      // Whatever was last.
      for await state in slot.states where state.phase != .loading { break }
      isDone.withLock { $0 = true }
    }
    #expect(endings.withLock { $0 } == 2000)
    check(slot.state)
    #expect(slot.state.phase == .succeeded)
    #expect(await indicator.isWellFormed)
    await pipeline.settle()
    #expect(pipeline.jobs.isEmpty)
    try await loader.waitUntilIdle()
  }

  private func check(_ state: ImageSlot.State) {
    let expected = state.request?.source.url.flatMap { Int($0.lastPathComponent) }
    for content in [state.content, state.arrived ?? .nothing] {
      if let shade = content.image?.shade { #expect(Int(shade) == expected) }
    }
  }
}
