extension AdmissionQueue {
  /// Returns the predicted time until a job that came now would start.
  public func predictedWait(of job: AdmissionJob, at now: Duration) -> Duration {
    .nanoseconds(wait(of: job, at: max(Nanoseconds.of(now), 0)))
  }

  /// Returns the predicted time in which all accepted work is done, if no more comes.
  public func predictedDrain(at now: Duration) -> Duration { drain(at: max(Nanoseconds.of(now), 0)) }

  /// Returns the refusal of work whose cost is not known yet, because its source has to be loaded and read first; `nil` if that is
  /// worth its while.
  ///
  /// Loading and reading sources takes time from the jobs that wait. When many wait, and an average one of the same source would
  /// wait for longer than half of ``AdmissionConfiguration/maximumWait`` and twice its cost, nothing is gained by one more.
  public mutating func refusal(from source: String, at now: Duration) -> AdmissionRefusal? {
    let now = max(Nanoseconds.of(now), 0)
    guard let limit = configuration.maximumWait, waiting.count >= 8 * configuration.workers
    else { return nil }
    let average = Duration.nanoseconds(shares.waitingCost / Int64(waiting.count))
    let job = AdmissionJob(cost: AdmissionCost(duration: average, byteCount: 0), source: source)
    let wait = wait(of: job, at: now)
    guard wait > Nanoseconds.of(limit / 2 + average * 2) else { return nil }
    counts.submitted += 1
    counts.refused[.overloaded, default: 0] += 1
    return overloaded(wait: wait, left: nil, at: now)
  }

  func wait(of job: AdmissionJob, at now: Int64) -> Int64 {
    Int64(Double(plainWait(of: job, at: now)) * shares.stretch(of: job.source))
  }

  /// Returns the wait for the work that is there already.
  func plainWait(of job: AdmissionJob, at now: Int64) -> Int64 {
    let cost = Nanoseconds.of(job.cost.duration)
    let rank = SourceShares.rank(cost: cost, arrival: now)
    let work = shares.work(before: rank, cost: cost, source: job.source)
    let wait = running.wait(after: work, workers: configuration.workers, at: now)
    // Where bytes are scarcer than workers, they set the pace.
    return max(wait, byteWait(work))
  }

  func drain(at now: Int64) -> Duration {
    let work = shares.waitingCost
    let drain = running.drain(after: work, workers: configuration.workers, at: now)
    return .nanoseconds(max(drain, byteWait(work)))
  }

  /// Returns the time in which a part of the waiting work passes through the budget of bytes.
  private func byteWait(_ work: Int64) -> Int64 {
    guard configuration.byteBudget > 0, shares.waitingCost > 0 else { return 0 }
    let share = min(Double(work) / Double(shares.waitingCost), 1)
    let nanoseconds = waitingByteTime / Double(configuration.byteBudget) * share
    return nanoseconds < Double(Nanoseconds.maximumTime) ? Int64(nanoseconds) : Nanoseconds.maximumTime
  }

  /// Returns the reason not to accept a job; `nil` if it is accepted.
  func refusal(of job: AdmissionJob, at now: Int64) -> AdmissionRefusal? {
    if isClosed { return AdmissionRefusal(.closed, retryAfter: drain(at: now), "no more jobs are accepted") }
    if job.cost.byteCount > configuration.oversize.limit(budget: configuration.byteBudget) {
      return tooLarge(job.cost.byteCount)
    }
    if let limit = configuration.maximumDuration, job.cost.duration > limit {
      return AdmissionRefusal(
        .tooLarge, retryAfter: nil,
        "it takes \(job.cost.duration.milliseconds) ms of at most \(limit.milliseconds)")
    }
    // A free worker and enough bytes: there is no queue.
    let isFree =
      waiting.isEmpty && running.count < configuration.workers && !running.hasAlone
      && (running.count == 0 || job.cost.byteCount <= configuration.byteBudget - running.byteCount)
    if !isFree {
      if waiting.count >= configuration.maximumWaiting {
        return AdmissionRefusal(
          .queueFull, retryAfter: drain(at: now), "\(configuration.maximumWaiting) requests wait")
      }
      if max(job.heldByteCount, 0) > configuration.maximumHeldBytes - heldByteCount {
        return AdmissionRefusal(
          .queueFull, retryAfter: drain(at: now), "requests hold \(heldByteCount) bytes")
      }
    }
    let wait = isFree ? 0 : wait(of: job, at: now)
    if let limit = configuration.maximumWait, wait > Nanoseconds.of(limit) {
      return overloaded(wait: wait, left: nil, at: now)
    }
    guard let deadline = job.deadline else { return nil }
    let left = max(Nanoseconds.of(deadline) - now, 0)
    let cost = Nanoseconds.of(job.cost.duration)
    // Without a queue nothing can come in between.
    if isFree { return cost > left ? overloaded(wait: cost, left: left, at: now) : nil }
    // Jobs that come within half its cost may overtake it.
    let planned = Int64(Double(left) * configuration.plannedShare)
    return wait + cost + cost / 2 > planned ? overloaded(wait: wait + cost, left: left, at: now) : nil
  }

  private func overloaded(wait: Int64, left: Int64?, at now: Int64) -> AdmissionRefusal {
    let predicted = "the result would take \(Duration.nanoseconds(wait).milliseconds) ms"
    let rest = left.map { ", \(Duration.nanoseconds($0).milliseconds) ms are left" } ?? ""
    return AdmissionRefusal(.overloaded, retryAfter: drain(at: now), predicted + rest)
  }

  func tooLarge(_ byteCount: Int) -> AdmissionRefusal {
    let limit = configuration.oversize.limit(budget: configuration.byteBudget)
    return AdmissionRefusal(
      .tooLarge, retryAfter: nil, "it needs \(byteCount) decoded bytes of at most \(limit)")
  }
}

extension Duration {
  /// Whole milliseconds.
  var milliseconds: Int64 { Nanoseconds.of(self) / 1_000_000 }
}
