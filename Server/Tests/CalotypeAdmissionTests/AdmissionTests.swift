import Testing

@testable import CalotypeAdmission

@Suite("Tasks that wait for admission")
struct AdmissionTests {
  let clock = ManualClock()

  func admission(workers: Int = 1, _ change: (inout AdmissionConfiguration) -> Void = { _ in }) -> Admission {
    var configuration = AdmissionConfiguration(workers: workers, byteBudget: 100)
    configuration.maximumWait = nil
    configuration.plannedShare = 1
    change(&configuration)
    return Admission(configuration, clock: clock)
  }

  static func job(_ milliseconds: Double, deadline: Duration? = nil, formats: CostPair? = nil) -> AdmissionJob
  {
    AdmissionJob(
      cost: AdmissionCost(milliseconds: milliseconds, byteCount: 1), deadline: deadline, formats: formats)
  }

  /// Starts a task that runs until it waits for admission, before this returns.
  func waiting(
    for admission: Admission, _ job: AdmissionJob = Self.job(10)
  ) -> Task<Result<AdmissionTicket, any Error>, Never> {
    Task.immediate {
      do { return .success(try await admission.admit(job)) } catch { return .failure(error) }
    }
  }

  @Test func waitsForATicketToBeFinished() async throws {
    let admission = admission()
    let first = try await admission.admit(Self.job(10))
    let second = waiting(for: admission)
    #expect(admission.statistics.waiting == 1 && admission.statistics.running == 1)
    clock.advance(by: .milliseconds(30))
    first.finish()
    first.finish()
    let ticket = try await second.value.get()
    #expect(ticket.wait == .milliseconds(30) && first.wait == .zero)
    #expect(admission.statistics.counts.finished == 1 && admission.statistics.running == 1)
    #expect(admission.statistics.waits.count == 2 && admission.statistics.waits.sum == 0.03)
    let counts = admission.statistics.waits.cumulativeCounts
    #expect(
      counts.first == 1 && counts.last == 2 && counts[WaitHistogram.bounds.firstIndex(of: 0.05) ?? 0] == 2)
  }

  @Test func droppedTicketsAreFinished() async throws {
    let admission = admission()
    var first: AdmissionTicket? = try await admission.admit(Self.job(10))
    let second = waiting(for: admission)
    #expect(first != nil && admission.statistics.waiting == 1)
    first = nil
    _ = try await second.value.get()
    #expect(admission.statistics.counts.finished >= 1)
  }

  @Test func runEndsTheJobOnErrors() async throws {
    struct Failure: Error {}
    let admission = admission()
    await #expect(throws: Failure.self) { try await admission.run(Self.job(10)) { _ in throw Failure() } }
    #expect(admission.statistics.running == 0 && admission.statistics.counts.finished == 1)
    #expect(try await admission.run(Self.job(10)) { $0.predicted } == .milliseconds(10))
  }

  @Test func cancelledTasksLeaveTheQueue() async throws {
    let admission = admission()
    let first = try await admission.admit(Self.job(10))
    let second = waiting(for: admission)
    let third = waiting(for: admission)
    second.cancel()
    guard case .failure(let error) = await second.value else { return #expect(Bool(false)) }
    #expect(error is CancellationError)
    #expect(admission.statistics.waiting == 1 && admission.statistics.counts.cancelled == 1)
    first.finish()
    _ = try await third.value.get()
    // A task that was cancelled before does not enter.
    let fourth = Task { () async throws -> AdmissionTicket in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await admission.admit(Self.job(10))
    }
    await #expect(throws: CancellationError.self) { try await fourth.value }
    #expect(admission.statistics.counts.submitted == 3)
  }

  /// Although nothing ends, and nothing comes.
  @Test func deadlinesEndWaits() async throws {
    let admission = admission()
    let first = try await admission.admit(Self.job(10))
    let late = waiting(for: admission, Self.job(10, deadline: .milliseconds(100)))
    let early = waiting(for: admission, Self.job(10, deadline: .milliseconds(50)))
    clock.advance(by: .milliseconds(45))
    guard case .failure(let error as AdmissionRefusal) = await early.value else {
      return #expect(Bool(false))
    }
    #expect(error.reason == .expired && admission.statistics.waiting == 1)
    clock.advance(by: .milliseconds(50))
    guard case .failure(let error as AdmissionRefusal) = await late.value else { return #expect(Bool(false)) }
    #expect(error.reason == .expired && error.status == 503)
    #expect(admission.statistics.counts.refused == [.expired: 2])
    first.finish()
  }

  @Test func refusalsAreThrownAtOnce() async throws {
    let admission = admission { $0.maximumWaiting = 0 }
    let first = try await admission.admit(Self.job(1500))
    let error = await #expect(throws: AdmissionRefusal.self) { try await admission.admit(Self.job(10)) }
    #expect(error?.reason == .queueFull && error?.retryAfterSeconds == 2)
    admission.close()
    first.finish()
    await #expect(throws: AdmissionRefusal.self) { try await admission.admit(Self.job(10)) }
    #expect(admission.statistics.counts.refused == [.queueFull: 1, .closed: 1])
  }

  @Test func costsAreLearnedFromTicketsThatReportThem() async throws {
    let admission = admission()
    let pair = CostPair("png", to: "jpeg")
    let job = Self.job(20, formats: pair)
    for _ in 0..<100 { try await admission.run(job) { $0.finish(actual: .milliseconds(60)) } }
    try await admission.run(job) { _ in }
    let ratio = try #require(admission.statistics.costRatios[pair])
    #expect(ratio.count == 100 && abs(ratio.ratio - 3) < 0.1)
    // The queue knows the corrected cost.
    let ticket = try await admission.admit(job)
    #expect(abs(admission.statistics.drain / .milliseconds(20 * ratio.ratio) - 1) < 0.001)
    #expect(ticket.predicted == .milliseconds(20))
  }

  @Test func moreWorkersStartMoreJobs() async throws {
    let admission = admission()
    let first = try await admission.admit(Self.job(10))
    let second = waiting(for: admission)
    admission.setBudgets(workers: 2, byteBudget: 100)
    _ = try await second.value.get()
    first.finish()
  }

  /// Tasks that end in all ways, at the same time: each gets one answer, and nothing is left.
  @Test func allWaysOfEnding() async throws {
    let admission = admission(workers: 3) { $0.maximumWaiting = 100 }
    let running = Lock((now: 0, peak: 0))
    let clock = self.clock
    let answers = await withTaskGroup(of: String.self) { group in
      for index in 0..<600 {
        group.addTask {
          let work = Task {
            let deadline = index.isMultiple(of: 3) ? admission.now + .milliseconds(15) : nil
            return try await admission.run(Self.job(10, deadline: deadline)) { ticket in
              running.withLock { $0 = ($0.now + 1, max($0.peak, $0.now + 1)) }
              await Task.yield()
              running.withLock { $0.now -= 1 }
              if index.isMultiple(of: 2) { ticket.finish(actual: .milliseconds(5)) }
            }
          }
          if index.isMultiple(of: 5) { work.cancel() }
          clock.advance(by: .microseconds(100))
          if index.isMultiple(of: 7) { work.cancel() }
          return switch await work.result {
          case .success: "done"
          case .failure(let error as AdmissionRefusal): error.code
          case .failure: "cancelled"
          }
        }
      }
      return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
    #expect(answers.values.reduce(0, +) == 600 && (answers["done"] ?? 0) > 0)
    #expect(running.withLock { $0.now == 0 && $0.peak <= 3 })
    let statistics = admission.statistics
    #expect(statistics.waiting == 0 && statistics.running == 0 && statistics.runningBytes == 0)
    #expect(statistics.counts.finished >= answers["done"] ?? 0)
  }

  @Test func nothingKeepsAnUnusedQueueAlive() async throws {
    weak var weakly: Admission?
    do {
      let admission = admission()
      weakly = admission
      let first = try await admission.admit(Self.job(10))
      let second = waiting(for: admission, Self.job(10, deadline: .seconds(100)))
      second.cancel()
      _ = await second.value
      first.finish()
    }
    #expect(weakly == nil)
  }
}
