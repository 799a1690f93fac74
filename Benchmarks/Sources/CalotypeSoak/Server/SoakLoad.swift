import Calotype
import FoundationEssentials

/// Everything that happens to the pipeline until a moment: callers who come all the time, others by the thousand, purges,
/// and what becomes of the disk.
struct SoakLoad: Sendable {
  let caller: SoakCaller
  let disk: SoakDisk
  let seed: Int
  /// Callers that come at once.
  let burst: Int
  let end: ContinuousClock.Instant
  /// How long the disk stays as it is.
  let phaseLength: Duration

  /// Callers at a time who come again and again.
  private static let callers = 96
  private static let canaryInterval = Duration.milliseconds(200)

  /// Returns when the last caller has its ending.
  func run() async {
    disk.run(until: end, phaseLength: phaseLength, record: caller.record)
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<Self.callers {
        group.addTask { await repeatCalls(number) }
      }
      group.addTask { await sendCanaries() }
      group.addTask { await purge() }
      group.addTask { await sendBursts() }
    }
  }

  private var isOver: Bool { ContinuousClock.now >= end }

  /// One caller after the other, with a pause between them.
  private func repeatCalls(_ number: Int) async {
    var random = SplitMix(seed: seed &* 1_000 &+ number)
    while !isOver {
      let plan = SoakPlan.random(using: &random)
      await caller.call(plan)
      try? await Task.sleep(for: .milliseconds(Int(random.next() % 200)))
    }
  }

  /// Whether or not the last one is back.
  private func sendCanaries() async {
    await withTaskGroup(of: Void.self) { group in
      var next = ContinuousClock.now
      var number = SoakPicture.ordinaryClass
      while !isOver {
        let plan = SoakPlan(.canary, number: number, side: 320, deadline: .seconds(10))
        group.addTask {
          let phase = caller.record.phase
          let (took, hasPicture) = await caller.call(plan)
          caller.record.canary(took, in: phase)
          if !hasPicture {
            caller.record.breach("canary without a picture, seconds", took / .seconds(1), bound: 0, in: phase)
          }
        }
        number += SoakPicture.classCount
        next += Self.canaryInterval
        try? await Task.sleep(until: next)
      }
    }
  }

  private func purge() async {
    var random = SplitMix(seed: seed &+ 77)
    while !isOver {
      try? await Task.sleep(for: .milliseconds(1_000))
      let selection: CacheSelection =
        switch random.next() % 8 {
        case 0: .sourcePrefix(caller.origin.prefix(.ordinary))
        case 1: .tag(SoakKind.ordinary.rawValue)
        default:
          .source(caller.origin.url(.hot, Int(random.next() % 10))?.absoluteString ?? "")
        }
      // A disk that does not work is allowed to say so.
      _ = try? await caller.pipeline.cache.removeAll(selection)
    }
  }

  /// In two of the rounds in which all is well, many callers come at once.
  private func sendBursts() async {
    await withTaskGroup(of: Void.self) { group in
      var last = -1
      while !isOver {
        let round = caller.record.round
        if round > last {
          let place = round % SoakDisk.phases.count
          if place == 2 || place == 4 {
            group.addTask { await sendBurst(place == 2 ? .herd : .flood, round: round) }
          }
          last = round
        }
        try? await Task.sleep(for: .milliseconds(50))
      }
    }
  }

  /// All of one picture, or each of its own.
  private func sendBurst(_ kind: SoakKind, round: Int) async {
    // Some more than may wait, of small pictures.
    let count = kind == .flood ? burst + burst / 5 : burst
    let first = round * 2 * burst
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<count {
        let number = (kind == .herd ? first : first + index) * SoakPicture.classCount + 2
        let deadline = Duration.seconds(kind == .herd ? 10 : 3)
        group.addTask { await caller.call(SoakPlan(kind, number: number, side: 128, deadline: deadline)) }
      }
    }
  }
}
