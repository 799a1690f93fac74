/// The jobs that run, with the bytes that they hold and the times at which they are predicted to end. A pure value.
struct RunningJobs: Sendable {
  /// A job that runs.
  struct Job: Sendable {
    let line: Int
    let cost: Int64
    let byteCount: Int
    let start: Int64
    /// Whether no other job may run at the same time.
    let isAlone: Bool
  }

  private var jobs: [Int: Job] = [:]
  /// The decoded bytes that the jobs hold.
  private(set) var byteCount = 0
  /// Whether a job runs that must be the only one.
  private(set) var hasAlone = false

  /// The number of jobs.
  var count: Int { jobs.count }

  /// Adds a job.
  mutating func insert(_ id: Int, _ job: Job) {
    jobs[id] = job
    byteCount += job.byteCount
    hasAlone = hasAlone || job.isAlone
  }

  /// Removes a job; returns `nil` if it does not run.
  mutating func remove(_ id: Int) -> Job? {
    guard let job = jobs.removeValue(forKey: id) else { return nil }
    byteCount -= job.byteCount
    if job.isAlone { hasAlone = false }
    return job
  }

  /// Returns the time that one of a number of workers takes to become free, after an amount of other work.
  ///
  /// The work is poured onto the workers like water: each first ends its job, and the one that is free first takes more. A
  /// job that takes longer than predicted is expected to take an eighth of its time so far.
  ///
  /// - Complexity: O(*w* log *w*) for *w* workers.
  func wait(after work: Int64, workers: Int, at now: Int64) -> Int64 {
    var ends = jobs.values.map { Self.remainder(of: $0, at: now) }
    ends.sort()
    // More jobs than workers run after a budget has become smaller: the first to end make room for none.
    if ends.count > workers { ends.removeFirst(ends.count - workers) }
    ends.insert(contentsOf: repeatElement(0, count: workers - ends.count), at: 0)
    var poured: Int64 = 0
    var level: Int64 = 0
    for (index, end) in ends.enumerated() {
      let room = (end - level) * Int64(index)
      if index > 0, poured + room >= work { return level + (work - poured) / Int64(index) }
      poured += room
      level = end
    }
    return level + (work - poured) / Int64(workers)
  }

  /// Returns the predicted time until all running jobs and an amount of other work are done.
  func drain(after work: Int64, workers: Int, at now: Int64) -> Int64 {
    let last = jobs.values.map { Self.remainder(of: $0, at: now) }.max() ?? 0
    return max(wait(after: work, workers: workers, at: now), last)
  }

  private static func remainder(of job: Job, at now: Int64) -> Int64 {
    let passed = max(now - job.start, 0)
    return passed < job.cost ? job.cost - passed : min(passed / 8, Nanoseconds.maximumCost)
  }
}
