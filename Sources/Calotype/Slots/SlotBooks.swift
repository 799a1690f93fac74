import CalotypeImaging

/// What a load is about.
struct SlotTarget: Sendable {
  var request: ImageRequest
  var variant: ImageVariants.Variant?
}

/// What a slot shows, and which load may change that. Pure: no tasks, no clocks.
///
/// Whatever a load that is not the current one has to say is of no effect, so that nothing of a replaced load is ever seen.
struct SlotBooks: Sendable {
  typealias Candidate = ImageSlot.Placeholder.Candidate
  typealias Ending = (load: SlotLoad, result: Result<ImageResponse, any Error>)

  /// What is to be done when the books are closed again.
  struct Effects: Sendable {
    /// Whether observers see something new.
    var isNews = true
    var endings: [Ending] = []
    /// A load in whose place another goes on.
    var abandoned: SlotLoad?
    /// What followed the network for a load that was replaced.
    var leftFollower: TaskHold?
    /// A load that has begun by this.
    var begun: SlotLoad?
    /// Whether the change was made.
    var isDone = true

    static var none: Effects { Effects(isNews: false, isDone: false) }
  }

  private(set) var state = ImageSlot.State()
  /// The load that may change the state.
  private(set) var current: SlotLoad?
  /// What follows the network and may begin further loads.
  private(set) var follower: TaskHold?
  /// Another for each load, and when one is given up.
  private(set) var number = 0
  private var hasArrived = false
  private var hasStale = false
  private var arrivedTransition = ImageSlot.Transition.none
  private var isClosed = false

  /// What an indicator should show.
  var indication: Indication {
    Indication(number: number, isOn: current != nil, progress: state.progress)
  }

  // MARK: What the owner does

  /// Begins a load, and shows the placeholder if it is time, or at once what was found in memory.
  ///
  /// - Parameters:
  ///   - load: What may change the state from now on.
  ///   - target: What it is about.
  ///   - found: The image, if it was in memory.
  ///   - placeholder: What may be shown in its place.
  ///   - follower: What may replace it by something better.
  mutating func begin(
    _ load: SlotLoad, for target: SlotTarget, found: ImageResponse?, placeholder: [Candidate],
    follower: TaskHold? = nil
  ) -> Effects {
    var effects = leave()
    guard !isClosed else {
      effects.endings.append((load, .failure(CancellationError())))
      return effects
    }
    self.follower = follower
    start(load, target)
    if found == nil || load.options.delivery == .manual { showFirst(of: placeholder, load) }
    if let found { effects.endings.append(end(load, with: found, wasWaitedFor: false)) }
    return effects
  }

  /// Begins a load in place of the one that a follower has begun before, if the owner has not done anything else since and
  /// this one promises more. What is shown stays until then.
  mutating func upgrade(
    to target: SlotTarget, _ options: ImageSlot.Options, found: ImageResponse?, by follower: TaskHold
  ) -> Effects {
    guard self.follower === follower, isBetter(target) else { return .none }
    var effects = Effects(abandoned: current)
    // Who waits for the one before waits for this one.
    let load = current.map { SlotLoad(options, ending: $0.ending) } ?? SlotLoad(options)
    effects.begun = load
    state.arrived = nil
    start(load, target)
    state.isPrevious = state.content.isPicture
    if let found { effects.endings.append(end(load, with: found, wasWaitedFor: false)) }
    return effects
  }

  /// Shows something else, and gives the load up.
  mutating func replace(with content: ImageSlot.Content?, or placeholder: [Candidate] = []) -> Effects {
    let effects = leave()
    state.phase = .idle
    state.progress = ImageSlot.Progress()
    state.error = nil
    state.request = nil
    state.variant = nil
    // Not what is shown now, whatever the placeholder says.
    state.isPrevious = false
    if let content { show(content) } else { put(placeholder) }
    return effects
  }

  /// Gives the load up, or only this one, and what it offered. What is shown stays.
  mutating func cancel(_ load: SlotLoad? = nil) -> Effects {
    if let load, current?.ending !== load.ending { return .none }
    let isNews = current != nil || state.arrived != nil
    var effects = leave()
    effects.isNews = isNews
    return effects
  }

  /// The end of the slot.
  mutating func close() -> Effects {
    isClosed = true
    return leave()
  }

  /// Shows what has arrived; `isDone` if there was something.
  mutating func deliver() -> Effects {
    guard let arrived = state.arrived else { return .none }
    show(arrived, arrivedTransition)
    return Effects()
  }

  // MARK: What the load says

  /// What the load is about, once that is known.
  mutating func choose(_ target: SlotTarget, for load: SlotLoad) -> Effects {
    guard current === load else { return .none }
    state.request = target.request
    state.variant = target.variant
    return Effects()
  }

  mutating func placeholderIsDue(_ placeholder: [Candidate], of load: SlotLoad) -> Effects {
    guard current === load, !hasArrived, !state.isPrevious else { return .none }
    put(placeholder)
    return Effects()
  }

  mutating func advance(to progress: LoadProgress, of load: SlotLoad) -> Effects {
    guard current === load else { return .none }
    let before = state.progress
    state.progress.received = progress.received
    state.progress.expected = progress.expected
    return Effects(isNews: state.progress != before)
  }

  mutating func preview(_ image: Image, of load: SlotLoad) -> Effects {
    // It would be coarser than what is there.
    guard current === load, !hasStale else { return .none }
    arrive(.preview(image), .none, of: load)
    return Effects()
  }

  mutating func stale(_ response: ImageResponse, of load: SlotLoad) -> Effects {
    guard current === load else { return .none }
    arrive(.stale(response), load.options.transition(wasWaitedFor: true), of: load)
    hasStale = true
    return Effects()
  }

  mutating func succeed(_ load: SlotLoad, with response: ImageResponse, wasWaitedFor: Bool = true) -> Effects
  {
    guard current === load else { return .none }
    return Effects(endings: [end(load, with: response, wasWaitedFor: wasWaitedFor)])
  }

  /// The stale image is right. It looks the same, so that nothing is to be drawn.
  mutating func confirm(_ load: SlotLoad, with response: ImageResponse) -> Effects {
    guard current === load else { return .none }
    if case .stale = state.content, !state.isPrevious { state.content = .image(response) }
    if case .stale = state.arrived { state.arrived = .image(response) }
    state.progress.isFinished = true
    return Effects(endings: [settle(load, .succeeded, .success(response))])
  }

  /// There is nothing newer than the stale image.
  mutating func settleForStale(_ load: SlotLoad, _ response: ImageResponse, _ error: any Error) -> Effects {
    guard current === load else { return .none }
    state.progress.isFinished = true
    state.error = error
    return Effects(endings: [settle(load, .succeeded, .success(response))])
  }

  mutating func fail(_ load: SlotLoad, _ error: any Error, _ placeholder: [Candidate]) -> Effects {
    guard current === load else { return .none }
    state.error = error
    state.arrived = nil
    put(placeholder)
    return Effects(endings: [settle(load, .failed, .failure(error))])
  }
}

// MARK: Steps

extension SlotBooks {
  /// Whether it is more than what is there or on its way.
  private func isBetter(_ target: SlotTarget) -> Bool {
    guard let present = state.variant, let variant = target.variant, state.phase != .failed else {
      return true
    }
    return variant > present
  }

  private mutating func start(_ load: SlotLoad, _ target: SlotTarget) {
    number += 1
    current = load
    hasArrived = false
    hasStale = false
    state.phase = .loading
    state.progress = ImageSlot.Progress()
    state.error = nil
    state.request = target.request
    state.variant = target.variant
  }

  private mutating func showFirst(of placeholder: [Candidate], _ load: SlotLoad) {
    if case .previous? = placeholder.first, state.content.isPicture {
      state.isPrevious = true
    } else if load.options.placeholderTiming == .immediate {
      put(placeholder)
    } else {
      show(.nothing)
    }
  }

  /// The current load ends, and nobody goes on with it.
  private mutating func leave() -> Effects {
    var effects = Effects(leftFollower: follower)
    follower = nil
    state.arrived = nil
    if let current {
      number += 1
      effects.endings.append(settle(current, .cancelled, .failure(CancellationError())))
    }
    return effects
  }

  private mutating func end(_ load: SlotLoad, with response: ImageResponse, wasWaitedFor: Bool) -> Ending {
    state.progress.isFinished = true
    arrive(.image(response), load.options.transition(wasWaitedFor: wasWaitedFor), of: load)
    return settle(load, .succeeded, .success(response))
  }

  private mutating func settle(
    _ load: SlotLoad, _ phase: ImageSlot.Phase, _ result: Result<ImageResponse, any Error>
  ) -> Ending {
    current = nil
    state.phase = phase
    return (load, result)
  }

  private mutating func arrive(
    _ content: ImageSlot.Content, _ transition: ImageSlot.Transition, of load: SlotLoad
  ) {
    hasArrived = true
    if load.options.delivery == .automatic { return show(content, transition) }
    state.arrived = content
    arrivedTransition = transition
  }

  /// Shows the first that there is.
  private mutating func put(_ placeholder: [Candidate]) {
    for candidate in placeholder {
      switch candidate {
      case .previous where state.isPrevious: return
      case .previous: continue
      case .image(let image): return show(.placeholder(image))
      case .nothing: return show(.nothing)
      }
    }
    show(.nothing)
  }

  private mutating func show(
    _ content: ImageSlot.Content, _ transition: ImageSlot.Transition = .none
  ) {
    state.isPrevious = false
    state.arrived = nil
    if case .nothing = content, case .nothing = state.content { return }
    state.content = content
    state.contentVersion += 1
    state.transition = transition
  }
}
