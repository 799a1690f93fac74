import CalotypeSupport

/// A table of jobs, regardless of their values.
protocol AnyJobTable: AnyObject, Sendable {
  /// The number of jobs.
  var count: Int { get }
  /// A Boolean value that indicates whether a job is still producing or storing its value.
  var isBusy: Bool { get }
  /// Ends all jobs with an error.
  func abortAll(_ error: any Error)
  /// Waits until all existing jobs have ended and stored their values, or the task is cancelled.
  func settle() async
  /// Prevents further subscriptions to the jobs of some keys; they continue for their present subscribers.
  func detach(where isMeant: (JobKey) -> Bool)
}

/// A table of joinable jobs of one kind, by key. Striped, so that lookups of different keys do not contend.
final class JobTable<Value: Sendable>: AnyJobTable {
  private static var stripeCount: Int { 16 }
  private let stripes = (0..<JobTable.stripeCount).map { _ in Lock([JobKey: Job<Value>]()) }
  /// The jobs that can no longer be joined, but whose work continues.
  private let detached = Lock([ObjectIdentifier: Job<Value>]())

  private func stripe(_ key: JobKey) -> Lock<[JobKey: Job<Value>]> {
    stripes[Int(truncatingIfNeeded: UInt(bitPattern: key.key.hashValue) >> 7) % Self.stripeCount]
  }

  /// Joins the job of a key, if one can be joined.
  func join(_ key: JobKey, _ want: SubscriptionOptions) -> Subscription<Value>? {
    guard let (place, actions) = stripe(key).withLock({ $0[key]?.enter(want) }) else { return nil }
    place.job.welcome(place, actions)
    return place
  }

  /// Joins the job of a key, or a new one if none can be joined.
  ///
  /// - Parameters:
  ///   - key: The key of the job.
  ///   - want: The options of the subscription.
  ///   - make: Creates a job, if that is allowed. Called under a lock.
  /// - Returns: The subscription, and the job if it is new and has to be begun.
  /// - Throws: Errors of `make`.
  func join(
    _ key: JobKey, _ want: SubscriptionOptions, make: () throws -> Job<Value>
  ) rethrows -> (place: Subscription<Value>, new: Job<Value>?) {
    let stripe = stripe(key)
    while true {
      let found = try stripe.withLock {
        jobs -> (Subscription<Value>, Job<Value>.Machine.Actions, Job<Value>?)? in
        if let (place, actions) = jobs[key]?.enter(want) { return (place, actions, nil) }
        let job = try make()
        job.onForget { [weak self, weak job] in if let job { self?.remove(job, key) } }
        // One that has ended, but too early for this subscriber.
        if let old = jobs[key], !old.isSettled {
          detached.withLock { $0[ObjectIdentifier(old)] = old }
        }
        jobs[key] = job
        return job.enter(want).map { ($0, $1, job) }
      }
      guard let (place, actions, new) = found else { continue }
      place.job.welcome(place, actions)
      return (place, new)
    }
  }

  /// Returns whether there is a job of a key that can be joined.
  func contains(_ key: JobKey) -> Bool {
    stripe(key).withLock { $0[key] != nil }
  }

  /// Removes a job from its slot, which may hold a successor already: a job that was cancelled by its last
  /// subscriber cannot be joined.
  private func remove(_ job: Job<Value>, _ key: JobKey) {
    stripe(key).withLock { jobs in
      if jobs[key] === job { jobs[key] = nil }
      // Moved under both locks, so that it is always in one of the tables, where the end of its work has to
      // find it.
      detached.withLock { $0[ObjectIdentifier(job)] = job.isSettled ? nil : job }
    }
  }

  /// All jobs.
  var all: [Job<Value>] {
    stripes.flatMap { $0.withLock { Array($0.values) } } + detached.withLock { Array($0.values) }
  }

  /// The number of jobs.
  var count: Int { stripes.reduce(detached.withLock { $0.count }) { $0 + $1.withLock { $0.count } } }

  var isBusy: Bool { all.contains { !$0.isSettled } }

  func abortAll(_ error: any Error) {
    for job in all { job.abort(error) }
  }

  func settle() async {
    for job in all { await job.waitUntilStored() }
  }

  func detach(where isMeant: (JobKey) -> Bool) {
    for stripe in stripes {
      stripe.withLock { jobs in
        for (key, job) in jobs where isMeant(key) {
          jobs[key] = nil
          detached.withLock { $0[ObjectIdentifier(job)] = job }
        }
      }
    }
  }
}
