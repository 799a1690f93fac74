import CalotypeCaching
import CalotypeLoading
import CalotypeSupport

/// The jobs that run now.
struct JobBooks {
  var images: [JobKey: Job<MadeImage>] = [:]
  var originals: [JobKey: Job<LoadedSource>] = [:]
  var loads: [JobKey: Job<LoadedSource>] = [:]
  /// Why no more requests are taken, once that is so.
  var closed: PipelineError?
  /// Whether jobs may not start others any more either.
  var isAborted = false
  /// Tasks of jobs, those included whose slot has a successor.
  var tasks = 0
  /// Who waits until there are none.
  var idling: [CheckedContinuation<Void, Never>] = []

  /// Whether nothing is being done.
  var isEmpty: Bool { images.isEmpty && originals.isEmpty && loads.isEmpty }

  /// Whether something has not been made, or not been stored yet.
  var isBusy: Bool {
    images.values.contains { !$0.isSettled } || originals.values.contains { !$0.isSettled }
      || loads.values.contains { !$0.isSettled }
  }

  /// A place in the job of a slot; the slot is filled with a new job when there is none to join.
  static func join<Value>(
    _ slot: inout Job<Value>?, _ want: Want, mayOutlive: Bool = false
  ) -> (place: Subscription<Value>, new: Job<Value>?) {
    if let place = slot?.join(want) { return (place, nil) }
    let (job, place) = Job<Value>.make(for: want, mayOutlive: mayOutlive)
    slot = job
    return (place, job)
  }
}

extension ImagePipeline {
  /// Joins the job for a request, or starts it.
  ///
  /// - Throws: ``PipelineError/shutDown``.
  func subscribe(to request: ImageRequest, want: Want) throws -> Subscription<MadeImage> {
    let key = JobKey.image(request, number: try admit(want))
    let (place, new) = JobBooks.join(&books.images[key], want)
    if new != nil { books.tasks += 1 }
    new?.start { job in
      await self.runImageJob(job, Plan(request, self.configuration))
    } forget: { job in
      await self.forget(job, key, in: \.images)
    }
    return place
  }

  /// Joins the job that finds an original or has it loaded, or starts it.
  ///
  /// - Throws: ``PipelineError/shutDown``.
  func subscribe(
    toOriginalOf plan: Plan, policy: CachePolicy, want: Want
  ) throws -> Subscription<LoadedSource> {
    let key = JobKey.original(plan.request, policy: policy, number: try admit(want))
    let (place, new) = JobBooks.join(&books.originals[key], want)
    if new != nil { books.tasks += 1 }
    new?.start { job in
      await self.runOriginalJob(job, plan, policy: policy)
    } forget: { job in
      await self.forget(job, key, in: \.originals)
    }
    return place
  }

  /// Joins the job that loads an original, or starts it.
  ///
  /// - Parameters:
  ///   - plan: Whose original.
  ///   - policy: By which rules.
  ///   - kept: What the server may confirm.
  ///   - validators: What to ask it about that.
  ///   - want: What is wanted of it.
  /// - Throws: ``PipelineError/shutDown``.
  func subscribe(
    toLoadOf plan: Plan, policy: CachePolicy, kept: KeptOriginal?, validators: Validators?, want: Want
  ) throws -> Subscription<LoadedSource> {
    let key = JobKey.load(plan.request, policy: policy, validators: validators, number: try admit(want))
    let (place, new) = JobBooks.join(&books.loads[key], want, mayOutlive: true)
    if new != nil { books.tasks += 1 }
    new?.start { job in
      await self.runLoadJob(job, plan, policy: policy, kept: kept, validators: validators)
    } forget: { job in
      await self.forget(job, key, in: \.loads)
    }
    return place
  }

  /// The number of a new job: that of all jobs which are shared, or that of the request. What was begun may be brought to
  /// its end, until all is aborted.
  private func admit(_ want: Want) throws -> Int {
    if let error = books.closed, books.isAborted || !want.isOfJob { throw error }
    return want.number
  }

  /// A slot may hold a successor already: a job that was cancelled by its last subscriber cannot be joined.
  private func forget<Value>(
    _ job: Job<Value>, _ key: JobKey, in slots: any WritableKeyPath<JobBooks, [JobKey: Job<Value>]> & Sendable
  ) {
    if books[keyPath: slots][key] === job { books[keyPath: slots][key] = nil }
    books.tasks -= 1
    guard books.tasks == 0 else { return }
    for waiter in books.idling { waiter.resume() }
    books.idling = []
  }

  // MARK: Ends

  /// Waits until the jobs that are running now have ended and their results are in the caches.
  ///
  /// A caller has its image before it is written to disk; call this before the process ends.
  public func flush() async {
    for job in Array(books.images.values) { await job.windUp() }
    // Afterwards: those above start those below.
    for job in Array(books.originals.values) { await job.windUp() }
    for job in Array(books.loads.values) { await job.windUp() }
  }

  /// Waits until what belongs to a request is in the caches.
  func windUp(_ request: ImageRequest) async {
    for job in books.images.filter({ $0.key.key == request.key }).values { await job.windUp() }
    for job in books.originals.filter({ $0.key.key == request.sourceKey }).values { await job.windUp() }
    for job in books.loads.filter({ $0.key.key == request.sourceKey }).values { await job.windUp() }
  }

  /// Counters, and what is being done now.
  public var statistics: Statistics {
    var statistics = counters.snapshot
    statistics.runningImageJobs = books.images.count
    statistics.runningSourceJobs = books.originals.count + books.loads.count
    let decoding = decodes.statistics
    statistics.waitingDecodes = decoding.waiting
    statistics.runningDecodes = decoding.running
    statistics.decodedBytes = decoding.bytes
    statistics.peakDecodedBytes = decoding.peakBytes
    let loading = loads.statistics
    statistics.waitingLoads = loading.waiting
    statistics.encodedBytes = loading.bytes
    statistics.peakEncodedBytes = loading.peakBytes
    return statistics
  }
}
