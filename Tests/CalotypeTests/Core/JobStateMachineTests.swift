import CalotypeSupport
import CalotypeTestKit
import PipelineSamples
import Testing

@testable import Calotype

/// Every order in which a few subscribers, a job and its work can meet, beside a model that keeps sets and walks them.
@Suite("Job state machine", .timeLimit(.minutes(5)))
struct JobStateMachineTests {
  private enum Event: CaseIterable {
    case join(Int), leave(Int), raise(Int), wait(Int), admit, start, arrive, offer, finish, fail, abort,
      settle

    static let allCases: [Event] =
      (0..<3).flatMap { [.join($0), .leave($0), .raise($0), .wait($0)] }
      + [.admit, .start, .arrive, .offer, .finish, .fail, .abort, .settle]
    /// Those that decide about endings, for longer sequences.
    static let endings: [Event] = [
      .join(0), .join(1), .leave(0), .leave(1), .wait(0), .wait(1), .finish, .settle,
    ]
  }

  private enum Ending: Equatable {
    case value, failure, aborted, left
  }

  private struct Failure: Error {}
  private struct Aborted: Error {}
  private struct Left: Error {}

  /// What is expected, kept as simply as possible.
  private struct Model {
    struct Person {
      var level: UInt8
      var isJob: Bool
      var isIn = true
      var ending: Ending?
    }

    var people: [Int: Person] = [:]
    var ending: Ending?
    var isCancelled = false
    var isSettled = false
    var isRunning = false
    var arrivals = 0

    var present: [Person] { people.values.filter(\.isIn) }
    var jobs: Int { present.count { $0.isJob } }
    var isOpen: Bool {
      if isCancelled { return false }
      return ending == nil || (ending == .value && (!isSettled || jobs > 0))
    }

    mutating func end(_ new: Ending) {
      guard ending == nil else { return }
      ending = new
      for id in people.keys where people[id]?.isIn == true { people[id]?.ending = new }
    }
  }

  private struct World {
    var machine = JobStateMachine<Int, Int>(mayOutlive: false, idleLevel: 1)
    var model = Model()
    /// Numbers of the three in the machine, once they have joined.
    var ids: [Int: Int] = [:]
    /// Waiters that were handed in and not handed out, and whose they are.
    var waiting: [Int: Int] = [:]
    var calls: [Int: Int] = [:]
    var nextWaiter = 0
    var hasReleased = false
  }

  /// The second is a job, the others are callers.
  private func want(_ person: Int) -> SubscriptionOptions {
    if person == 1 {
      return SubscriptionOptions(of: Self.parent.0)
    }
    return SubscriptionOptions(
      JobRequirements(), priority: LivePriority(TaskPriority(rawValue: UInt8(10 + person))))
  }

  private static let parent: (Job<Int>, Subscription<Int>) = Job<Int>.made(
    for: SubscriptionOptions(JobRequirements(), priority: LivePriority(TaskPriority(rawValue: 11))))

  private func apply(_ event: Event, to world: inout World) throws {
    var actions = JobStateMachine<Int, Int>.Actions()
    let wasFinished = world.machine.isFinished
    switch event {
    case .join(let person):
      guard world.ids[person] == nil else { return }
      let joined = world.machine.join(want(person))
      #expect((joined != nil) == world.model.isOpen)
      guard let joined else { return }
      world.ids[person] = joined.id
      world.model.people[person] = Model.Person(level: UInt8(10 + person), isJob: person == 1)
      world.model.people[person]?.ending = world.model.ending
      actions = joined.actions
    case .leave(let person):
      guard let id = world.ids[person] else { return }
      actions = world.machine.leave(id, wanted: JobRequirements(), Left())
      guard world.model.people[person]?.isIn == true else {
        #expect(actions.resumes.isEmpty && !actions.cancels)
        return
      }
      world.model.people[person]?.isIn = false
      if world.model.ending == nil {
        world.model.people[person]?.ending = .left
        if world.model.present.isEmpty {
          world.model.isCancelled = true
          #expect(actions.cancels)
        }
      }
    case .raise(let person):
      guard let id = world.ids[person] else { return }
      actions = world.machine.reprioritise(id, 25)
      if world.model.ending == nil, world.model.people[person]?.isIn == true {
        world.model.people[person]?.level = 25
      }
    case .wait(let person):
      guard let id = world.ids[person] else { return }
      let (call, displaced) = world.machine.beginCall(id)
      if let displaced {
        #expect(world.waiting.removeValue(forKey: displaced) == person)
      }
      world.calls[person] = call
      world.nextWaiter += 1
      let returned = world.machine.wait(id, call: call, .progress, world.nextWaiter)
      if returned == nil {
        world.waiting[world.nextWaiter] = person
      } else {
        // There is something to be told at once, or never again.
        #expect(world.machine.take(id, call: call, .progress) != nil)
      }
    case .admit:
      let isAdmitted = world.machine.admit()
      #expect(isAdmitted == (!world.model.isRunning && !world.model.isCancelled && world.model.ending == nil))
      if isAdmitted { world.model.isRunning = true }
    case .start: actions = world.machine.start()
    case .arrive:
      actions = world.machine.arrive(Arrival(progress: .init(received: 1, expected: 2), start: .zero))
    case .offer: actions = world.machine.offer(7)
    case .finish:
      actions = world.machine.finish(.success(1))
      world.model.end(.value)
    case .fail:
      actions = world.machine.finish(.failure(Failure()))
      world.model.end(.failure)
    case .abort:
      actions = world.machine.abort(Aborted())
      world.model.end(.aborted)
      world.model.isCancelled = true
    case .settle:
      actions = world.machine.settle()
      world.model.isSettled = true
    }
    for waiter in actions.resumes {
      #expect(world.waiting.removeValue(forKey: waiter) != nil, "handed out twice")
    }
    if actions.releases { world.hasReleased = true }
    try check(world, wasFinished: wasFinished)
  }

  private func check(_ world: World, wasFinished: Bool) throws {
    let (machine, model) = (world.machine, world.model)
    #expect(machine.count == model.present.count)
    #expect(machine.isOpen == model.isOpen)
    #expect(machine.isCancelled == model.isCancelled)
    #expect(machine.isFinished == (model.ending != nil))
    if model.ending == nil { #expect(machine.level == model.present.map(\.level).max() ?? 1) }
    // Nobody waits after the end, nor after leaving.
    for person in world.waiting.values {
      #expect(model.ending == nil && model.people[person]?.isIn == true)
    }
    // What was made is given back as soon as no job works with it, and not before.
    if model.ending != nil, model.jobs == 0 { #expect(world.hasReleased) }
    if model.ending == nil { #expect(!world.hasReleased) }
    // Each has one ending, its own.
    for (person, id) in world.ids {
      guard let ending = model.people[person]?.ending else { continue }
      var copy = machine
      let call = copy.beginCall(id).call
      let told: Ending
      switch copy.take(id, call: call, []) {
      case .success(.ended): told = .value
      case .failure(is Failure): told = .failure
      case .failure(is Aborted): told = .aborted
      case .failure(is Left): told = .left
      default:
        Issue.record("no ending for \(person)")
        continue
      }
      #expect(told == ending)
    }
  }

  private func explore(_ events: [Event], depth: Int, from world: World, count: inout Int) throws {
    if depth == 0 { return }
    for event in events {
      var next = world
      try apply(event, to: &next)
      count += 1
      try explore(events, depth: depth - 1, from: next, count: &count)
    }
  }

  @Test("all sequences of all events up to length 4")
  func allEvents() throws {
    var count = 0
    try explore(Event.allCases, depth: 4, from: World(), count: &count)
    #expect(count == 20 + 400 + 8_000 + 160_000)
  }

  @Test("all sequences of comings, goings and endings up to length 7")
  func endings() throws {
    var count = 0
    try explore(Event.endings, depth: 6, from: World(), count: &count)
    // The seventh of those that begin with somebody who waits.
    var world = World()
    try apply(.join(0), to: &world)
    try explore(Event.endings, depth: 6, from: world, count: &count)
    #expect(count == 2 * (8 + 64 + 512 + 4_096 + 32_768 + 262_144))
  }

  @Test("requests for a new load join what is under way, not what ended before they began")
  func starts() {
    func machine(finishedAt end: UInt64?) -> JobStateMachine<Int, Int> {
      var machine = JobStateMachine<Int, Int>(mayOutlive: false, idleLevel: 0)
      _ = machine.join(SubscriptionOptions(JobRequirements(), priority: .normal))
      _ = machine.admit()
      if let end { _ = machine.finish(.success(1), at: MonotonicTime(nanoseconds: end)) }
      return machine
    }
    for (end, start, mayJoin) in [
      (nil, 5, true), (4, 5, false), (6, 5, true), (4, nil, true),
    ] as [(UInt64?, UInt64?, Bool)] {
      var machine = machine(finishedAt: end)
      var want = SubscriptionOptions(JobRequirements(), priority: .normal)
      want.start = start.map { MonotonicTime(nanoseconds: $0) }
      #expect(
        (machine.join(want) != nil) == mayJoin, "\(String(describing: end)) \(String(describing: start))")
    }
  }

  @Test("a value that a caller keeps for another job of its request can be joined until the caller leaves")
  func keptValue() throws {
    var machine = JobStateMachine<Int, Int>(mayOutlive: false, idleLevel: 0)
    let plain = SubscriptionOptions(JobRequirements(), priority: .normal)
    let joined = machine.join(plain.with { $0.keepsValue = true })
    let keeper = try #require(joined).id
    _ = machine.admit()
    #expect(!machine.finish(.success(1)).releases)
    #expect(!machine.settle().isForgotten && machine.isOpen)
    let isJoined = machine.join(plain) != nil
    #expect(isJoined)
    let actions = machine.leave(keeper, wanted: JobRequirements(), Left())
    #expect(actions.releases && actions.isForgotten && !machine.isOpen)
  }

  @Test("joins, leaves and changes of priority take the same time for 8,000 subscribers as for 80")
  func isLinear() throws {
    // Counted by the work that is done: no event but the ending looks at more than one subscriber.
    var machine = JobStateMachine<Int, Int>(mayOutlive: false, idleLevel: 1)
    var ids: [Int] = []
    for _ in 0..<8_000 {
      let joined = machine.join(SubscriptionOptions(JobRequirements(), priority: .normal))
      ids.append(try #require(joined).id)
    }
    let clock = ContinuousClock()
    func time(_ ids: ArraySlice<Int>) -> Duration {
      let start = clock.now
      for id in ids {
        _ = machine.reprioritise(id, 25)
        _ = machine.leave(id, wanted: JobRequirements(), Left())
      }
      return clock.now - start
    }
    let among8000 = time(ids[0..<80])
    _ = time(ids[80..<7_920])
    let among80 = time(ids[7_920..<8_000])
    // A walk over all would be a hundred times as long.
    #expect(among8000 < among80 * 20 + .milliseconds(1))
    #expect(machine.count == 0)
  }
}
