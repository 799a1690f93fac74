import CalotypeTestKit
import Testing

@testable import CalotypeSupport

@Suite("Reminders of idle memory", .timeLimit(.minutes(1)))
struct IdleReclaimerTests {
  /// Keeps something for so many rounds.
  private final class Keeper: IdleReclaiming {
    private let rounds: Lock<Int>
    /// Opens in the round in which nothing is left.
    let emptied = Gate()

    init(rounds: Int) {
      self.rounds = Lock(rounds)
    }

    func reclaimIdle() -> Bool {
      let left = rounds.withLock { rounds in
        rounds -= 1
        return rounds
      }
      // Nobody asks those who have said that nothing is left.
      #expect(left >= 0)
      if left == 0 { emptied.open() }
      return left > 0
    }
  }

  private let pauses = Lock(0)

  private func reclaimer() -> IdleReclaimer {
    IdleReclaimer(pause: { [pauses] in pauses.withLock { $0 += 1 } })
  }

  @Test("the thread sleeps when nobody keeps anything")
  func sleeps() async throws {
    let reclaimer = reclaimer()
    #expect(pauses.withLock { $0 } == 0)
    for round in 1...200 {
      let keeper = Keeper(rounds: 1)
      reclaimer.watch(keeper)
      try await keeper.emptied.wait()
      #expect(pauses.withLock { $0 } == round)
    }
  }

  @Test("everybody is asked until nothing is left")
  func several() async throws {
    // The thread asks nobody before all are there.
    let open = Monitor(false)
    let reclaimer = IdleReclaimer(pause: { [pauses] in
      open.wait { $0 ? () : nil }
      pauses.withLock { $0 += 1 }
    })
    let keepers = [3, 1, 40, 7].map(Keeper.init)
    for keeper in keepers { reclaimer.watch(keeper) }
    open.withLock(waking: .all) { $0 = true }
    for keeper in keepers { try await keeper.emptied.wait() }
    #expect(pauses.withLock { $0 } == 40)
  }

  @Test("nobody is kept")
  func weak() async throws {
    let (entered, open) = (Gate(), Monitor(false))
    let reclaimer = IdleReclaimer(pause: {
      entered.open()
      open.wait { $0 ? () : nil }
    })
    weak var released: Keeper?
    do {
      let keeper = Keeper(rounds: .max)
      released = keeper
      reclaimer.watch(keeper)
    }
    try await entered.wait()
    #expect(released == nil)
    open.withLock(waking: .all) { $0 = true }
  }
}
