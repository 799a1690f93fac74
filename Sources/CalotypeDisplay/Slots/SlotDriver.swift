import Calotype
import CalotypeImaging
import Synchronization

/// Carries out the effects of ``SlotStateMachine``: runs loads and playbacks, and wakes observers. It does not
/// hold the slot, so that both end when the slot is released.
final class SlotDriver: Sendable {
  let pipeline: ImagePipeline
  let clock: any Clock<Duration>
  let machine = ObservableValue(SlotStateMachine())
  private let dispatcher: IndicatorDispatcher?

  init(_ pipeline: ImagePipeline, clock: any Clock<Duration>, indicator: (any ImageSlotIndicator)?) {
    self.pipeline = pipeline
    self.clock = clock
    dispatcher = indicator.map { IndicatorDispatcher($0) }
  }

  /// Changes the state, and carries out the effects.
  @discardableResult
  func apply(_ body: (inout SlotStateMachine) -> SlotStateMachine.Effects) -> SlotStateMachine.Effects {
    let change = machine.change { machine in
      var change = Change(before: machine)
      change.effects = body(&machine)
      change.complete(&machine)
      return (change, change.effects.isNews)
    }
    let effects = change.effects
    effects.abandoned?.abandon()
    effects.leftFollower?.cancel()
    change.leftPlayback?.end()
    change.leftSearch?.tasks.cancel()
    if let search = change.search { run(search) }
    // A caller that is resumed by the ending finds the player.
    if let playable = change.playable { play(playable) }
    // A caller that is resumed by the ending finds the indicator stopped.
    dispatcher?.look { machine.value.indication }
    for ending in effects.endings { ending.load.finish(ending.result) }
    return effects
  }

  // MARK: Beginnings and ends

  /// Begins a load in place of the one before. If its image is in memory, it has ended when this returns.
  func begin(_ target: SlotTarget, _ options: SlotOptions) -> SlotLoad {
    let load = SlotLoad(options)
    let found = pipeline.memoryHit(for: target.request)
    let placeholder = options.placeholder.candidates(pipeline)
    let effects = apply { $0.begin(load, for: target, found: found?.response, placeholder: placeholder) }
    guard effects.isDone else { return load }
    if let found {
      found.report()
    } else {
      setAlarm(for: load)
      run(load, target.request)
    }
    return load
  }

  /// Ends the load before, because there is nothing to load.
  func refuse(_ error: any Error, _ options: SlotOptions) -> SlotLoad {
    let load = SlotLoad(options)
    let placeholder = (options.failurePlaceholder ?? options.placeholder).candidates(pipeline)
    apply { $0.refuse(load, error, placeholder) }
    return load
  }

  func cancel(_ load: SlotLoad) {
    apply { $0.cancel(load) }
  }

  func close() {
    apply { $0.close() }
    machine.finish()
  }

  // MARK: The work

  /// Shows the placeholder once its time has come.
  func setAlarm(for load: SlotLoad) {
    guard case .after(let delay) = load.options.placeholderTiming else { return }
    let alarm = clock.alarm(in: delay)
    load.add(
      Task { @concurrent in
        do { try await alarm() } catch {
          // The load has ended before.
          return
        }
        let placeholder = load.options.placeholder.candidates(self.pipeline)
        self.apply { $0.placeholderIsDue(placeholder, of: load) }
      })
  }

  /// Looks for a placeholder on disk.
  private func run(_ search: PlaceholderSearch) {
    search.tasks.add(
      Task(priority: search.requests.first?.priority.taskPriority) { @concurrent in
        for request in search.requests {
          if Task.isCancelled { return }
          // An image that cannot be read is none to show; the load reports its errors itself.
          guard let image = try? await self.pipeline.image(for: request) else { continue }
          self.apply { $0.place(image, of: search) }
          return
        }
        self.apply { $0.end(search) }
      })
  }

  /// Loads the request in the pipeline.
  private func run(_ load: SlotLoad, _ request: ImageRequest) {
    load.add(
      Task(priority: request.priority.taskPriority) { @concurrent in
        do {
          try await self.follow(load, request)
        } catch {
          self.fail(load, error)
        }
      })
  }

  @discardableResult
  func fail(_ load: SlotLoad, _ error: any Error) -> SlotStateMachine.Effects {
    // The placeholder of a replaced load is not needed.
    guard machine.value.current === load else { return .none }
    let placeholder = (load.options.failurePlaceholder ?? load.options.placeholder).candidates(pipeline)
    return apply { $0.fail(load, error, placeholder) }
  }

  /// Passes the events of a request on to the state machine.
  ///
  /// - Throws: The error of the request.
  func follow(_ load: SlotLoad, _ request: ImageRequest) async throws {
    var stale: ImageResponse?
    for try await event in pipeline.load(request).events {
      switch event {
      case .queued, .started: continue
      case .progress(let progress): apply { $0.advance(to: progress, of: load) }
      case .preview(let image): apply { $0.preview(image, of: load) }
      case .response(let response) where response.isBeingRevalidated:
        stale = response
        apply { $0.stale(response, of: load) }
      case .response(let response): apply { $0.succeed(load, with: response) }
      case .confirmed:
        guard let stale else { continue }
        apply { $0.confirm(load, with: stale.confirmed) }
      case .refreshFailed(let error):
        guard let stale else { throw error }
        apply { $0.settleForStale(load, stale, error) }
      }
    }
  }
}

extension ImagePipeline {
  /// Returns the image if it is in memory and fresh enough.
  nonisolated func memoryHit(for request: ImageRequest) -> MemoryHit? {
    imageInMemory(for: intercepted(request))
  }
}

extension Clock<Duration> {
  /// Returns a sleep until `delay` from the time of this call.
  fileprivate func alarm(in delay: Duration) -> @Sendable () async throws -> Void {
    let deadline = now.advanced(by: delay)
    return { try await self.sleep(until: deadline, tolerance: nil) }
  }
}
