import CalotypeSupport
import CalotypeTestKit
import PipelineSamples
import Testing

@testable import Calotype

/// Who waits for a job, how urgent it is, and how it ends, whatever happens at the same time.
@Suite("Jobs", .timeLimit(.minutes(5)))
struct JobTests {
  private func want(_ priority: ImageRequest.Priority = .normal) -> SubscriptionOptions {
    SubscriptionOptions(JobRequirements(), priority: LivePriority(priority.taskPriority))
  }

  @Test("a job is as urgent as the most urgent of those who wait, and no more when that one leaves")
  func priority() {
    let (job, first) = Job<Int>.made(for: want(.low))
    #expect(job.priority.value == ImageRequest.Priority.low.taskPriority)
    let second = job.join(want(.high))
    #expect(job.priority.value == ImageRequest.Priority.high.taskPriority)
    second?.leave()
    #expect(job.priority.value == ImageRequest.Priority.low.taskPriority)
    first.want.priority?.set(ImageRequest.Priority.veryHigh.taskPriority)
    #expect(job.priority.value == ImageRequest.Priority.veryHigh.taskPriority)
    first.want.priority?.set(ImageRequest.Priority.veryLow.taskPriority)
    #expect(job.priority.value == ImageRequest.Priority.veryLow.taskPriority)
    first.leave()
  }

  @Test("what is wanted of a job is wanted of those it waits for, up and down")
  func chain() {
    let (top, place) = Job<Int>.made(for: want(.low))
    let (middle, middlePlace) = Job<Int>.made(for: SubscriptionOptions(of: top))
    let (bottom, bottomPlace) = Job<Int>.made(for: SubscriptionOptions(of: middle))
    let urgent = top.join(want(.veryHigh))
    #expect(bottom.priority.value == ImageRequest.Priority.veryHigh.taskPriority)
    urgent?.leave()
    #expect(bottom.priority.value == ImageRequest.Priority.low.taskPriority)
    for leave in [bottomPlace.leave, middlePlace.leave, place.leave] { leave(CancellationError()) }
  }

  @Test("what those wanted who have left is still wanted; a transfer goes on if one of them wished so")
  func demand() {
    var demand = JobRequirements()
    demand.tiers = .memory
    demand.tags = ["a"]
    let (job, first) = Job<Int>.made(for: SubscriptionOptions(demand, priority: .high), mayOutlive: true)
    demand.tiers = .originals
    demand.tags = ["b"]
    demand.continuesInBackground = true
    let second = job.join(SubscriptionOptions(demand, priority: .high))
    #expect(job.admit())
    second?.leave()
    first.leave()
    #expect(job.demand.tiers == [.memory, .originals])
    #expect(Set(job.demand.tags) == ["a", "b"])
    #expect(job.priority.value == ImageRequest.Priority.veryLow.taskPriority)
    // It runs, so it can be joined.
    #expect(job.join(want()) != nil)
  }

  @Test("a change of priority after the end has no effect")
  func late() {
    let (job, place) = Job<Int>.made(for: want(.low))
    job.finish(.success(1))
    place.want.priority?.set(ImageRequest.Priority.high.taskPriority)
    #expect(job.priority.value == ImageRequest.Priority.low.taskPriority)
    place.leave()
    place.leave()
    // It can be joined as long as something of it is being stored.
    job.join(want())?.leave()
    job.settle()
    #expect(job.join(want()) == nil)
  }

  @Test("10,000 rounds of changes at once: the last value is the one that stays")
  func rapidChanges() async {
    for round in 0..<10_000 {
      let (job, place) = Job<Int>.made(for: want(.low))
      let (below, belowPlace) = Job<Int>.made(for: SubscriptionOptions(of: job))
      await withTaskGroup(of: Void.self) { group in
        group.addTask { place.want.priority?.set(ImageRequest.Priority.high.taskPriority) }
        group.addTask { job.join(SubscriptionOptions(JobRequirements(), priority: .veryHigh))?.leave() }
      }
      #expect(below.priority.value == ImageRequest.Priority.high.taskPriority, "round \(round)")
      belowPlace.leave()
      place.leave()
    }
  }

  /// One caller waits while `disturb` happens; the job ends with 1 or is cancelled.
  private func race(
    _ rounds: Int = 10_000,
    disturb: @escaping @Sendable (Job<Int>, Subscription<Int>, Task<Int, any Error>) -> Void,
    check: (Result<Int, any Error>) -> Void
  ) async {
    let live = Lock(0)
    for _ in 0..<rounds {
      let (job, place) = Job<Int>.made(for: want())
      let waiting = Task {
        live.withLock { $0 += 1 }
        defer { live.withLock { $0 -= 1 } }
        return try await place.value()
      }
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          job.start { job in
            job.publish(Arrival(progress: LoadProgress(received: 1, expected: 2), start: .zero))
            job.finish(Task.isCancelled ? .failure(CancellationError()) : .success(1))
          }
        }
        group.addTask { disturb(job, place, waiting) }
      }
      check(await waiting.result)
      await job.waitUntilStored()
      place.leave()
      #expect(job.subscriberCount == 0)
    }
    #expect(live.withLock { $0 } == 0)
  }

  @Test("cancel against finish: one ending, whichever it is, and nobody is left")
  func cancelAgainstFinish() async {
    var endings = (values: 0, cancelled: 0)
    await race { _, _, task in
      task.cancel()
    } check: { result in
      switch result {
      case .success(let value):
        #expect(value == 1)
        endings.values += 1
      case .failure(let error):
        #expect(error is CancellationError)
        endings.cancelled += 1
      }
    }
    #expect(endings.values + endings.cancelled == 10_000)
  }

  @Test("join against leave: who joins is served, or is refused and begins anew")
  func joinAgainstLeave() async {
    let served = Lock((joined: 0, refused: 0))
    for _ in 0..<10_000 {
      let (job, place) = Job<Int>.made(for: want())
      let joined: Subscription<Int>? = await withTaskGroup(of: Subscription<Int>?.self) { group in
        group.addTask {
          place.leave()
          return nil
        }
        group.addTask { job.join(SubscriptionOptions(JobRequirements(), priority: .normal)) }
        return await group.reduce(into: nil) { if let place = $1 { $0 = place } }
      }
      job.start { job in job.finish(Task.isCancelled ? .failure(CancellationError()) : .success(1)) }
      if let joined {
        // Never cancelled by the one who left.
        let value = try? await joined.value()
        #expect(value == 1)
        served.withLock { $0.joined += 1 }
        joined.leave()
      } else {
        served.withLock { $0.refused += 1 }
      }
      await job.waitUntilStored()
      #expect(job.subscriberCount == 0)
    }
    #expect(served.withLock { $0.joined + $0.refused } == 10_000)
  }

  @Test("escalate against start: the work runs once, with the priority that was asked for last")
  func escalateAgainstStart() async {
    await race { job, place, _ in
      place.want.priority?.set(ImageRequest.Priority.high.taskPriority)
    } check: { result in
      let value = try? result.get()
      #expect(value == 1)
    }
  }

  @Test("two endings at once: the first one counts for all")
  func twoEndings() async {
    struct Failure: Error {}
    for _ in 0..<10_000 {
      let (job, first) = Job<Int>.made(for: want())
      let second = job.join(want())
      await withTaskGroup(of: Void.self) { group in
        group.addTask { job.finish(.success(1)) }
        group.addTask { job.abort(Failure()) }
      }
      let endings = [try? await first.value(), try? await second?.value()]
      #expect(endings[0] == endings[1])
      first.leave()
      second?.leave()
    }
  }

  @Test("news: of each kind the newest, the value that will do before the ending, nothing after")
  func news() async throws {
    let (job, place) = Job<Int>.made(for: want())
    job.publishStart()
    for received in 1...3 {
      job.publish(Arrival(progress: LoadProgress(received: received, expected: 3), start: .zero))
    }
    job.publish(interim: 7)
    let late = try #require(job.join(want()))
    job.finish(.success(8))
    job.publish(interim: 9)
    for place in [place, late] {
      guard case .started = try await place.next(.all) else { throw Unexpected() }
      guard case .interim(7) = try await place.next(.all) else { throw Unexpected() }
      guard case .arrived(let arrival) = try await place.next(.all) else { throw Unexpected() }
      #expect(arrival.progress.received == 3)
      for _ in 0..<2 { guard case .ended(8) = try await place.next(.all) else { throw Unexpected() } }
      place.leave()
    }
    struct Unexpected: Error {}
  }
}

extension Job {
  /// A new job with its first subscriber.
  static func made(for want: SubscriptionOptions, mayOutlive: Bool = false) -> (Job, Subscription<Value>) {
    let job = Job(number: want.number, mayOutlive: mayOutlive)
    guard let place = job.join(want) else { fatalError("a new job can be joined") }
    return (job, place)
  }
}
