import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import Calotype

/// Everything at once, at random.
@Suite("Slots in a race", .timeLimit(.minutes(5)))
struct SlotRaceTests {
  private struct Refused: Error {}

  /// Serves pictures whose shade is the last part of their address, each after a while; some fail, some come in two pieces.
  private func serve(_ stage: SlotStage, shades: Int) throws -> FakeLoader {
    let pictures = try (0..<shades).map { try Samples.png(shade: UInt8($0)) }
    let clock = stage.clock
    return FakeLoader { request in
      guard let url = request.source.url, let shade = Int(url.lastPathComponent) else {
        throw Refused()
      }
      var random = SeededGenerator(seed: url.path.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
      let latency = Int.random(in: 0..<20, using: &random)
      if latency > 0 { try await clock.sleep(for: .milliseconds(latency)) }
      if shade % 13 == 12 { throw Refused() }
      return .body(pictures[shade], chunk: shade % 3 == 0 ? 40 : nil)
    }
  }

  /// Checks the calls of an indicator: start, progress, stop, and again.
  private func isWellFormed(_ indicator: RecordingIndicator) async -> Bool {
    // The last call may still be made by a thread that was about to.
    while indicator.calls.last != "stop" { await Task.yield() }
    let calls = indicator.calls
    var isOn = false
    for call in calls {
      switch call {
      case "start" where !isOn: isOn = true
      case "stop" where isOn: isOn = false
      case "progress" where isOn, "finished" where isOn: continue
      default: return false
      }
    }
    return !isOn
  }

  @Test(
    "10,000 reloads over 20 slots: nothing of a replaced load is ever seen, each caller ends once, nothing is left"
  )
  func reloads() async throws {
    let shades = 60
    let base = SlotStage()
    let loader = try serve(base, shades: shades)
    var configuration = base.pipeline.configuration
    configuration.loader = loader
    let pipeline = ImagePipeline(configuration)
    let clock = base.clock
    let endings = Lock((succeeded: 0, failed: 0, cancelled: 0))
    let seed = UInt64.random(in: 0 ... .max)
    let isDone = Lock(false)

    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        // Time passes.
        while !isDone.withLock({ $0 }) {
          clock.advance(by: .milliseconds(1))
          await Task.yield()
        }
      }
      await withTaskGroup(of: Void.self) { users in
        for user in 0..<20 {
          users.addTask {
            await self.use(
              pipeline, clock, shades: shades, seed: seed &+ UInt64(user), user: user,
              endings: endings)
          }
        }
      }
      isDone.withLock { $0 = true }
    }
    let counts = endings.withLock { $0 }
    #expect(counts.succeeded + counts.failed + counts.cancelled == 10_000, "seed \(seed)")
    #expect(counts.succeeded > 500 && counts.failed > 10 && counts.cancelled > 500, "\(counts)")
    await pipeline.settle()
    #expect(await pipeline.books.isEmpty)
    try await loader.waitUntilIdle()
    while clock.sleeperCount > 0 { await Task.yield() }
  }

  /// One owner of one slot, who loads 500 pictures and looks at what is shown all the time.
  private func use(
    _ pipeline: ImagePipeline, _ clock: TestClock, shades: Int, seed: UInt64, user: Int,
    endings: Lock<(succeeded: Int, failed: Int, cancelled: Int)>
  ) async {
    var random = SeededGenerator(seed: seed)
    let indicator = RecordingIndicator()
    var options = ImageSlot.Options()
    options.placeholderTiming = [.immediate, .after(.milliseconds(3)), .onFailure][user % 3]
    options.delivery = user % 5 == 4 ? .manual : .automatic
    let slot = ImageSlot(pipeline, options: options, indicator: indicator, clock: clock)
    await withTaskGroup(of: Void.self) { group in
      let watch = Task {
        // Each state is whole: the picture is the one that its request is about.
        for await state in slot.states { check(state, user) }
      }
      var last = -1
      for number in 0..<500 {
        // Half of them were asked for before, by somebody; never the same twice in a row.
        let shade = (max(0, last) + Int.random(in: 1..<shades, using: &random)) % shades
        last = shade
        let name =
          Bool.random(using: &random) ? "\(number % 7)/\(shade)" : "\(user)-\(number)/\(shade)"
        let request = ImageRequest(url: SlotStage.url(name))
        guard let load = slot.load(request) else { return }
        let state = slot.state
        #expect(state.request == request)
        check(state, user)
        group.addTask {
          do {
            let response = try await load.value
            #expect(Int(response.image.shade) == shade)
            endings.withLock { $0.succeeded += 1 }
          } catch is CancellationError {
            endings.withLock { $0.cancelled += 1 }
          } catch {
            #expect(shade % 13 == 12)
            endings.withLock { $0.failed += 1 }
          }
        }
        for _ in 0..<Int.random(in: 0..<40, using: &random) {
          await Task.yield()
          let state = slot.state
          #expect(state.request == request)
          check(state, user)
          if options.delivery == .manual { slot.deliver() }
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
          // These have time to end.
          for await state in slot.states where state.phase != .loading { break }
          check(slot.state, user)
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
    }
    #expect(await isWellFormed(indicator), "user \(user)")
  }

  private func check(_ state: ImageSlot.State, _ user: Int) {
    let expected = state.request?.source.url.flatMap { Int($0.lastPathComponent) }
    for content in [state.content, state.arrived ?? .nothing] {
      if let shade = content.image?.shade { #expect(Int(shade) == expected, "user \(user)") }
    }
  }

  @Test("eight owners of one slot: each load ends once, and the last one is shown")
  func oneSlot() async throws {
    let base = SlotStage()
    let loader = try serve(base, shades: 12)
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
                  self.check(slot.state, owner)
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
    check(slot.state, -1)
    #expect(slot.state.phase == .succeeded)
    #expect(await isWellFormed(indicator))
    await pipeline.settle()
    #expect(await pipeline.books.isEmpty)
    try await loader.waitUntilIdle()
  }
}
