extension AdmissionQueue {
  mutating func insert(_ id: Int, _ job: AdmissionJob, at now: Int64) {
    let cost = Nanoseconds.of(job.cost.duration)
    let predictedWait = plainWait(of: job, at: now)
    let entry = OrderTree.Entry(key: SourceShares.rank(cost: cost, arrival: now), id: id)
    let line = shares.insert(entry, cost: cost, source: job.source)
    let latestStart = job.deadline.map { Nanoseconds.of($0) - cost }
    if let latestStart { expiries.insert(OrderTree.Entry(key: latestStart, id: id), weight: 0) }
    waiting[id] = Waiting(
      line: line, entry: entry, cost: cost, byteCount: job.cost.byteCount,
      heldByteCount: max(job.heldByteCount, 0), submitted: now, predictedWait: predictedWait,
      latestStart: latestStart)
    heldByteCount += max(job.heldByteCount, 0)
    waitingByteTime += Double(cost) * Double(job.cost.byteCount)
    counts.peakWaiting = max(counts.peakWaiting, waiting.count)
  }

  /// Takes a job out of all books of those that wait.
  mutating func remove(_ id: Int) -> Waiting? {
    guard let job = waiting[id] else { return nil }
    shares.remove(job.entry, cost: job.cost, from: job.line)
    forget(id, job)
    return job
  }

  /// Takes a job out of all books but its line.
  private mutating func forget(_ id: Int, _ job: Waiting) {
    waiting[id] = nil
    if let latestStart = job.latestStart { expiries.remove(OrderTree.Entry(key: latestStart, id: id)) }
    heldByteCount -= job.heldByteCount
    waitingByteTime = waiting.isEmpty ? 0 : max(waitingByteTime - Double(job.cost) * Double(job.byteCount), 0)
  }

  mutating func refuse(_ id: Int, _ refusal: AdmissionRefusal, _ actions: inout [AdmissionAction]) {
    counts.refused[refusal.reason, default: 0] += 1
    actions.append(.refuse(id, refusal))
  }

  mutating func expire(at now: Int64, _ actions: inout [AdmissionAction]) {
    while let first = expiries.first?.entry, first.key < now, let job = waiting[first.id] {
      shares.record(wait: now - job.submitted, predicted: job.predictedWait, of: job.line)
      _ = remove(first.id)
      let waited = Duration.nanoseconds(now - job.submitted)
      refuse(
        first.id,
        AdmissionRefusal(.expired, retryAfter: drain(at: now), "it waited \(waited.milliseconds) ms"),
        &actions)
    }
  }

  /// Starts jobs while there are workers and bytes.
  mutating func startNext(at now: Int64, _ actions: inout [AdmissionAction]) {
    // Jobs that do not fit, laid aside until the end of the search.
    var held: [(id: Int, job: Waiting)] = []
    // Jobs that the budget, which has become smaller, will never hold. They leave after the search, because a line that loses
    // its last job may be forgotten.
    var outgrown: [(id: Int, job: Waiting)] = []
    while running.count < configuration.workers, !running.hasAlone, let next = shares.next,
      let job = waiting[next.job.id]
    {
      let id = next.job.id
      if job.byteCount > configuration.oversize.limit(budget: configuration.byteBudget) {
        shares.layAside(job.entry, cost: job.cost, from: job.line)
        outgrown.append((id, job))
      } else if fits(job) {
        start(id, job, at: now, &actions)
        for index in held.indices { held[index].job.passes += 1 }
        if held.contains(where: { $0.job.passes >= configuration.maximumPasses }) { break }
      } else {
        shares.layAside(job.entry, cost: job.cost, from: job.line)
        held.append((id, job))
        // All others wait for it, or the search would take too long.
        if job.passes >= configuration.maximumPasses || held.count >= 8 { break }
      }
    }
    for (id, job) in held {
      shares.putBack(job.entry, cost: job.cost, into: job.line)
      waiting[id] = job
    }
    for (id, job) in outgrown {
      shares.putBack(job.entry, cost: job.cost, into: job.line)
      _ = remove(id)
      refuse(id, tooLarge(job.byteCount), &actions)
    }
  }

  private func fits(_ job: Waiting) -> Bool {
    if job.byteCount > configuration.byteBudget { return running.count == 0 }
    return job.byteCount <= configuration.byteBudget - running.byteCount
  }

  private mutating func start(_ id: Int, _ job: Waiting, at now: Int64, _ actions: inout [AdmissionAction]) {
    shares.record(wait: now - job.submitted, predicted: job.predictedWait, of: job.line)
    shares.start(job.entry, cost: job.cost, from: job.line)
    forget(id, job)
    running.insert(
      id,
      RunningJobs.Job(
        line: job.line, cost: job.cost, byteCount: job.byteCount, start: now,
        isAlone: job.byteCount > configuration.byteBudget))
    counts.started += 1
    lastMovement = now
    counts.peakRunning = max(counts.peakRunning, running.count)
    waits.add(.nanoseconds(now - job.submitted))
    actions.append(.start(id))
  }
}
