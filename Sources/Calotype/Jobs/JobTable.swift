import CalotypeSupport

/// The jobs of one kind that can be joined, by key. Striped, so that look-ups of different keys do not wait for each other.
final class JobTable<Value: Sendable>: Sendable {
  private static var stripeCount: Int { 16 }
  private let stripes = (0..<JobTable.stripeCount).map { _ in Lock([JobKey: Job<Value>]()) }
  /// Those that nobody can join any more, and whose work goes on.
  private let detached = Lock([ObjectIdentifier: Job<Value>]())

  private func stripe(_ key: JobKey) -> Lock<[JobKey: Job<Value>]> {
    stripes[Int(truncatingIfNeeded: UInt(bitPattern: key.key.hashValue) >> 7) % Self.stripeCount]
  }

  /// A place in the job of a key, if there is one to join.
  func join(_ key: JobKey, _ want: SubscriptionOptions) -> Subscription<Value>? {
    guard let (place, actions) = stripe(key).withLock({ $0[key]?.enter(want) }) else { return nil }
    place.job.welcome(place, actions)
    return place
  }

  /// A place in the job of a key; in a new one if there is none to join.
  ///
  /// - Parameters:
  ///   - key: Of the job.
  ///   - want: What is wanted of it.
  ///   - make: A new job, if that is allowed. Called under a lock.
  /// - Returns: The place, and the job if it is new and has to be begun.
  /// - Throws: What `make` throws.
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
        jobs[key] = job
        return job.enter(want).map { ($0, $1, job) }
      }
      guard let (place, actions, new) = found else { continue }
      place.job.welcome(place, actions)
      return (place, new)
    }
  }

  /// The job of a key, if there is one to join.
  func contains(_ key: JobKey) -> Bool {
    stripe(key).withLock { $0[key] != nil }
  }

  /// A slot may hold a successor already: a job that was cancelled by its last subscriber cannot be joined.
  private func remove(_ job: Job<Value>, _ key: JobKey) {
    stripe(key).withLock { jobs in
      if jobs[key] === job { jobs[key] = nil }
      // Under both locks, as it is moved: it is in either. The end of its work has to find it.
      detached.withLock { $0[ObjectIdentifier(job)] = job.isSettled ? nil : job }
    }
  }

  /// All of them.
  var all: [Job<Value>] {
    stripes.flatMap { $0.withLock { Array($0.values) } } + detached.withLock { Array($0.values) }
  }

  /// How many there are.
  var count: Int { stripes.reduce(detached.withLock { $0.count }) { $0 + $1.withLock { $0.count } } }

  /// Has nobody join those of some keys any more; they go on for those who have joined.
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
