import Calotype

/// Loads that follow the network.
extension SlotDriver {
  /// Begins a load whose request depends on the network, and chooses again when the network changes.
  func begin(_ choice: VariantChoice, _ options: SlotOptions) -> SlotLoad {
    let load = SlotLoad(options)
    let follower = TaskBag()
    let original = SlotTarget(request: choice.variants.original, variant: .original)
    let found = pipeline.memoryHit(for: original.request)
    let placeholder = options.placeholder.candidates(pipeline)
    let effects = apply {
      $0.begin(
        load, for: original, found: found?.response, placeholder: placeholder,
        follower: found == nil ? follower : nil)
    }
    guard effects.isDone else { return load }
    if let found {
      // There is no better variant.
      found.report()
    } else {
      setAlarm(for: load)
      follower.add(Task { @concurrent in await self.follow(choice, load, follower) })
    }
    return load
  }

  private func follow(_ choice: VariantChoice, _ load: SlotLoad, _ follower: TaskBag) async {
    var conditions = choice.network.conditions().makeAsyncIterator()
    // The present condition. Later ones are observed from here on, so that the load may read the present
    // one separately.
    _ = await conditions.next()
    if Task.isCancelled { return }
    run(load, choice)
    while await conditions.next() != nil {
      let target = try? await choice.target(pipeline)
      if Task.isCancelled { return }
      upgrade(to: target, choice, load.options, follower)
    }
  }

  private func upgrade(
    to target: SlotTarget?, _ choice: VariantChoice, _ options: SlotOptions, _ follower: TaskBag
  ) {
    // The content stays even if no better variant is available.
    var options = options
    options.placeholder = .first([.previous, options.placeholder])
    options.failurePlaceholder = options.failurePlaceholder.map { .first([.previous, $0]) }
    let found = target.flatMap { pipeline.memoryHit(for: $0.request) }
    let effects = apply { $0.upgrade(to: target, options, found: found?.response, by: follower) }
    guard let load = effects.begun else { return }
    if let found { return found.report() }
    setAlarm(for: load)
    run(load, choice)
  }

  /// Loads the chosen variant, and chooses again as often as needed.
  private func run(_ load: SlotLoad, _ choice: VariantChoice) {
    load.add(
      Task(priority: choice.variants.original.priority.taskPriority) { @concurrent in
        while await self.attempt(load, choice) {}
      })
  }

  /// Loads the variant that is chosen now.
  ///
  /// - Returns: Whether to choose again: the cached variant was unavailable, or the network has changed.
  private func attempt(_ load: SlotLoad, _ choice: VariantChoice) async -> Bool {
    do {
      let target = try await choice.target(pipeline)
      let effects = apply { $0.choose(target, for: load) }
      guard effects.isDone else { return effects.isOutdated }
      do {
        try await follow(load, target.request)
        choice.note(target, isLost: false)
        return false
      } catch  where target.isCached && !Task.isCancelled && !(error is CancellationError) {
        choice.note(target, isLost: true)
        return true
      }
    } catch {
      return fail(load, error).isOutdated
    }
  }
}
