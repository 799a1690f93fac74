/// Loads that follow the network.
extension SlotCore {
  /// Begins a load whose request depends on the network, and goes on choosing when that changes.
  func begin(_ choice: VariantChoice, _ options: ImageSlot.Options) -> SlotLoad {
    let load = SlotLoad(options)
    let follower = TaskHold()
    let found = pipeline.responseInMemory(for: choice.original.request)
    let placeholder = options.placeholder.candidates(pipeline)
    apply {
      $0.begin(
        load, for: choice.original, found: found, placeholder: placeholder,
        follower: found == nil ? follower : nil)
    }
    // There is nothing better.
    guard found == nil else { return load }
    setAlarm(for: load)
    follower.add(Task { @concurrent in await self.follow(choice, load, follower) })
    return load
  }

  private func follow(_ choice: VariantChoice, _ load: SlotLoad, _ follower: TaskHold) async {
    var conditions = choice.network.conditions().makeAsyncIterator()
    // One that can not be watched has a condition all the same.
    let first = await conditions.next() ?? choice.network.current
    if Task.isCancelled { return }
    await start(choice, first, load)
    while let condition = await conditions.next() {
      // There is nothing better.
      if books.value.state.isOriginal { return }
      guard let target = await choice.target(condition, pipeline), !Task.isCancelled else { continue }
      upgrade(to: target, load.options, follower)
    }
  }

  private func start(_ choice: VariantChoice, _ condition: NetworkCondition, _ load: SlotLoad) async {
    guard let target = await choice.target(condition, pipeline) else {
      return fail(load, PipelineError.notCached(choice.variants.original.source.description))
    }
    let found = pipeline.responseInMemory(for: target.request)
    guard apply({ $0.choose(target, for: load) }).isDone else { return }
    if let found {
      apply { $0.succeed(load, with: found, wasWaitedFor: false) }
    } else {
      run(load, target.request)
    }
  }

  private func upgrade(to target: SlotTarget, _ options: ImageSlot.Options, _ follower: TaskHold) {
    // What is shown stays also when there is nothing better after all.
    var options = options
    options.failurePlaceholder = .first([.previous, options.failurePlaceholder ?? options.placeholder])
    let found = pipeline.responseInMemory(for: target.request)
    let effects = apply { $0.upgrade(to: target, options, found: found, by: follower) }
    guard let load = effects.begun, found == nil else { return }
    setAlarm(for: load)
    run(load, target.request)
  }
}

extension ImageSlot.State {
  /// Whether the best variant is there.
  fileprivate var isOriginal: Bool { phase == .succeeded && variant == .original }
}
