import Calotype
import CalotypeImaging

/// The state machine of a slot: its content, and the load that may change it. A value: no tasks, no clocks.
///
/// A load that is not the current one has no effect, so that no result of a replaced load is ever shown.
struct SlotStateMachine: Sendable {
  typealias Candidate = SlotOptions.Placeholder.Candidate

  private(set) var state = SlotState()
  /// The load that may change the state.
  private(set) var current: SlotLoad?
  /// The tasks that follow the network, and may begin further loads.
  private(set) var follower: TaskBag?
  /// A number that changes with each load, and when a load is cancelled.
  private(set) var number = 0
  /// Whether the current load, or the last one, has delivered any content.
  private var hasArrived = false
  private var hasStale = false
  /// The content that has arrived and waits for ``deliver()``.
  private var offer: Offer? {
    didSet { state.arrived = offer?.content }
  }
  /// The offer at the time the load began.
  private var earlierOffer: Offer?
  /// Whether the network has changed since the load chose, without promising more.
  private(set) var isOutdated = false
  private var isClosed = false
  /// The search for a better placeholder than the one that is shown.
  private(set) var search: PlaceholderSearch?
  /// The animation of the content.
  private(set) var animation: SlotAnimation?
  /// The playback of the animation.
  private(set) var playback: SlotPlayback?
  /// Whether the playback has come to its end.
  private(set) var isPlayed = false
  /// Changes with the content, and not with its frames.
  private(set) var contentNumber = 0
  private var awaitsPlayback = false
  /// The number of iterators over the states.
  private var watchers = 0
  private(set) var isVisible = true

  /// A Boolean value that indicates whether the content is watched.
  var isWatched: Bool { isVisible && watchers > 0 }

  // MARK: The owner

  /// Begins a load. Shows the image at once if it was found in memory, else the placeholder if its time has come.
  ///
  /// - Parameters:
  ///   - load: The load that may change the state from now on.
  ///   - target: The request of the load.
  ///   - found: The image, if it was in memory.
  ///   - placeholder: The candidates for its place.
  ///   - follower: The tasks that may replace it by a better variant.
  mutating func begin(
    _ load: SlotLoad, for target: SlotTarget, found: ImageResponse?, placeholder: [Candidate],
    follower: TaskBag? = nil
  ) -> Effects {
    var effects = leave()
    guard !isClosed else {
      effects.endings.append((load, .failure(CancellationError())))
      effects.isDone = false
      return effects
    }
    self.follower = follower
    start(load, target)
    if found == nil || load.options.delivery == .manual { showFirst(of: placeholder, load) }
    if let found { end(load, with: found, &effects) }
    return effects
  }

  /// Begins a load after a change of the network, in place of the follower's previous load, if the owner
  /// has not used the slot since and the new variant is better. The content stays until the load delivers
  /// some.
  ///
  /// - Parameter target: The target to load now; `nil` when no variant is available.
  mutating func upgrade(
    to target: SlotTarget?, _ options: SlotOptions, found: ImageResponse?, by follower: TaskBag
  ) -> Effects {
    guard self.follower === follower else { return .none }
    guard let target, target.isBetter(than: state) else {
      isOutdated = true
      return .none
    }
    var effects = Effects(abandoned: current)
    // Callers that wait for the load before wait for this one.
    let load = current.map { SlotLoad(options, ending: $0.ending) } ?? SlotLoad(options)
    effects.begun = load
    start(load, target)
    state.isPrevious = state.content.isPicture
    if let found { end(load, with: found, &effects) }
    return effects
  }

  /// Cancels the load, and shows other content.
  mutating func replace(with content: SlotState.Content?, or placeholder: [Candidate] = []) -> Effects {
    let effects = leave()
    clearLoad(.idle)
    if let content { show(content) } else { put(placeholder) }
    return effects
  }

  /// Ends the current load for one that cannot begin, and shows the placeholder of a failure.
  mutating func refuse(_ load: SlotLoad, _ error: any Error, _ placeholder: [Candidate]) -> Effects {
    var effects = leave()
    guard !isClosed else {
      effects.endings.append((load, .failure(CancellationError())))
      effects.isDone = false
      return effects
    }
    number += 1
    hasArrived = false
    clearLoad(.failed)
    state.error = error
    put(placeholder)
    effects.endings.append((load, .failure(error)))
    return effects
  }

  /// Cancels the current load, or only `load`, and discards its offer. The content stays.
  mutating func cancel(_ load: SlotLoad? = nil) -> Effects {
    if let load, current?.ending !== load.ending { return .none }
    let isNews = current != nil || state.arrived != nil
    var effects = leave()
    effects.isNews = isNews
    return effects
  }

  /// Ends the slot.
  mutating func close() -> Effects {
    isClosed = true
    playback = nil
    return leave()
  }

  /// Shows the offer. The effects have `isDone` if there was one.
  mutating func deliver() -> Effects {
    guard let arrived = offer else { return .none }
    offer = nil
    earlierOffer = nil
    show(arrived)
    // The offer then belongs to the previous load.
    state.isPrevious = !hasArrived
    return Effects()
  }

  // MARK: The load

  /// Sets the target of a load, once it is chosen.
  mutating func choose(_ target: SlotTarget, for load: SlotLoad) -> Effects {
    guard current === load else { return .none }
    if takeOutdated() { return .outdated }
    state.progress = SlotState.Progress()
    state.request = target.request
    state.variant = target.variant
    return Effects()
  }

  mutating func placeholderIsDue(_ placeholder: [Candidate], of load: SlotLoad) -> Effects {
    guard current === load, offer == nil, case .nothing = state.content else { return .none }
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
    // A preview is coarser than the stale image.
    guard current === load, !hasStale else { return .none }
    arrive(.preview(image), .none, of: load)
    return Effects()
  }

  mutating func stale(_ response: ImageResponse, of load: SlotLoad) -> Effects {
    guard current === load else { return .none }
    arrive(.stale(response), load.options.transition(to: response), of: load)
    hasStale = true
    return Effects()
  }

  mutating func succeed(_ load: SlotLoad, with response: ImageResponse) -> Effects {
    guard current === load else { return .none }
    var effects = Effects()
    end(load, with: response, &effects)
    return effects
  }

  /// Records that the server has confirmed the stale image. The picture is the same: observers have nothing
  /// to draw.
  mutating func confirm(_ load: SlotLoad, with response: ImageResponse) -> Effects {
    guard current === load else { return .none }
    if case .stale = state.content, !state.isPrevious { state.content = .image(response) }
    if case .stale = offer?.content { offer?.content = .image(response) }
    state.progress.isFinished = true
    var effects = Effects()
    settle(load, .succeeded, .success(response), &effects)
    return effects
  }

  /// Records that the revalidation has failed: the stale image is the result.
  mutating func settleForStale(_ load: SlotLoad, _ response: ImageResponse, _ error: any Error) -> Effects {
    guard current === load else { return .none }
    state.progress.isFinished = true
    state.error = error
    var effects = Effects()
    settle(load, .succeeded, .success(response), &effects)
    return effects
  }

  mutating func fail(_ load: SlotLoad, _ error: any Error, _ placeholder: [Candidate]) -> Effects {
    guard current === load else { return .none }
    if takeOutdated() { return .outdated }
    state.error = error
    // Its own offer is discarded.
    if hasArrived { offer = earlierOffer }
    switch state.content {
    // A placeholder stays, unless there is one for failures.
    case .placeholder where load.options.failurePlaceholder == nil: break
    // It is on its way.
    case _ where load.options.failurePlaceholder == nil && search != nil: break
    default: put(placeholder)
    }
    var effects = Effects()
    settle(load, .failed, .failure(error), &effects)
    return effects
  }
}

// MARK: Placeholders on disk

extension SlotStateMachine {
  /// Shows the placeholder that a search has found.
  mutating func place(_ image: Image, of search: PlaceholderSearch) -> Effects {
    guard self.search === search else { return .none }
    show(.placeholder(image))
    return Effects()
  }

  /// Records that a search has found nothing.
  mutating func end(_ search: PlaceholderSearch) -> Effects {
    if self.search === search { self.search = nil }
    return .none
  }
}

// MARK: Playback

extension SlotStateMachine {
  /// Returns the animation that is to be played by itself, once.
  mutating func takePlayable() -> Playable? {
    guard awaitsPlayback, let animation else { return nil }
    awaitsPlayback = false
    return Playable(animation: animation, content: contentNumber)
  }

  /// Cancels the load, and begins a playback that belongs to none. Its first frame is the content.
  mutating func replace(with playback: SlotPlayback) -> Effects {
    let effects = replace(with: .nothing)
    guard !isClosed else { return .none }
    self.playback = playback
    isPlayed = false
    return effects
  }

  /// Begins a playback in place of another one, or of none.
  ///
  /// - Parameter content: The number of the content that it belongs to.
  mutating func begin(_ playback: SlotPlayback, of content: Int, after previous: SlotPlayback?) -> Effects {
    guard !isClosed, content == contentNumber, self.playback === previous else { return .none }
    self.playback = playback
    isPlayed = false
    return Effects(isNews: false)
  }

  /// Shows a frame.
  mutating func show(_ frame: AnimationFrame, of playback: SlotPlayback) -> Effects {
    guard self.playback === playback else { return .none }
    // The first frame is shown already, as the image of the response.
    var isShown = state.frame == nil && frame.index == 0
    if case .nothing = state.content {
      state.content = .given(frame.image)
      isShown = false
    }
    state.frame = frame
    if !isShown {
      state.contentVersion += 1
      state.transition = .none
    }
    return Effects()
  }

  /// Records the end of a playback. The last frame stays.
  mutating func end(_ playback: SlotPlayback, _ error: (any Error)?) -> Effects {
    guard self.playback === playback else { return .none }
    isPlayed = true
    // The error of a load that has failed, or the absence of one, is about another image.
    let hasContent = !state.isPrevious && (state.phase == .succeeded || state.phase == .idle)
    guard let error, !(error is CancellationError), hasContent else {
      return Effects(isNews: false)
    }
    state.error = error
    return Effects()
  }

  /// Records that an iteration over the states has begun, or has ended.
  mutating func addWatchers(_ count: Int) -> Effects {
    watchers += count
    return Effects(isNews: false)
  }

  mutating func setVisible(_ isVisible: Bool) -> Effects {
    self.isVisible = isVisible
    return Effects(isNews: false)
  }
}

// MARK: Steps

extension SlotStateMachine {
  private mutating func clearLoad(_ phase: SlotState.Phase) {
    state.phase = phase
    state.progress = SlotState.Progress()
    state.error = nil
    state.request = nil
    state.variant = nil
    // Even if the placeholder is the previous picture.
    state.isPrevious = false
  }

  private mutating func takeOutdated() -> Bool {
    defer { isOutdated = false }
    return isOutdated
  }

  private mutating func start(_ load: SlotLoad, _ target: SlotTarget) {
    number += 1
    current = load
    hasArrived = false
    hasStale = false
    earlierOffer = offer
    isOutdated = false
    state.phase = .loading
    state.progress = SlotState.Progress()
    state.error = nil
    state.request = target.request
    state.variant = target.variant
  }

  private mutating func showFirst(of placeholder: [Candidate], _ load: SlotLoad) {
    if placeholder.beginsWithPrevious, state.content.isPicture {
      state.isPrevious = true
      if load.options.placeholderTiming == .immediate { put(placeholder) }
    } else if load.options.placeholderTiming == .immediate {
      put(placeholder)
    } else {
      show(.nothing)
    }
  }

  /// Ends the current load as cancelled.
  private mutating func leave() -> Effects {
    var effects = Effects(leftFollower: follower)
    follower = nil
    offer = nil
    search = nil
    if let current {
      number += 1
      settle(current, .cancelled, .failure(CancellationError()), &effects)
    }
    return effects
  }

  private mutating func end(_ load: SlotLoad, with response: ImageResponse, _ effects: inout Effects) {
    state.progress.isFinished = true
    arrive(.image(response), load.options.transition(to: response), of: load)
    settle(load, .succeeded, .success(response), &effects)
  }

  private mutating func settle(
    _ load: SlotLoad, _ phase: SlotState.Phase, _ result: Result<ImageResponse, any Error>,
    _ effects: inout Effects
  ) {
    current = nil
    state.phase = phase
    effects.endings.append((load, result))
    // There is no better variant.
    if phase == .succeeded, state.variant == .original, let follower = follower.take() {
      effects.leftFollower = follower
    }
  }

  private mutating func arrive(
    _ content: SlotState.Content, _ transition: SlotState.Transition, of load: SlotLoad
  ) {
    hasArrived = true
    let arrived = Offer(
      content: content, transition: transition, variant: state.variant,
      animation: SlotAnimation(content, load.options))
    if load.options.delivery == .automatic { show(arrived) } else { offer = arrived }
  }

  /// Shows the first candidate that exists, and begins a search for those before it that may be on disk.
  private mutating func put(_ placeholder: [Candidate]) {
    let stored = putFirst(placeholder)
    search = stored.isEmpty ? nil : PlaceholderSearch(stored)
  }

  /// Shows the first candidate that exists. Returns those before it that may be on disk.
  private mutating func putFirst(_ placeholder: [Candidate]) -> [ImageRequest] {
    var stored: [ImageRequest] = []
    for candidate in placeholder {
      switch candidate {
      case .previous where state.isPrevious: return stored
      case .previous: continue
      case .stored(let request): stored.append(request)
      case .image(let image):
        show(.placeholder(image))
        return stored
      case .nothing:
        show(.nothing)
        return stored
      }
    }
    show(.nothing)
    return stored
  }

  private mutating func show(_ content: SlotState.Content) {
    show(Offer(content: content, transition: .none))
  }

  private mutating func show(_ offer: Offer) {
    state.isPrevious = false
    state.shownVariant = offer.variant
    search = nil
    playback = nil
    animation = offer.animation
    awaitsPlayback = animation?.autoplays ?? false
    contentNumber += 1
    state.frame = nil
    if case .nothing = offer.content, case .nothing = state.content { return }
    state.content = offer.content
    state.contentVersion += 1
    state.transition = offer.transition
  }
}

extension [SlotOptions.Placeholder.Candidate] {
  /// Whether the previous content comes before all others, except those that may be found on disk.
  fileprivate var beginsWithPrevious: Bool {
    for candidate in self {
      switch candidate {
      case .stored: continue
      case .previous: return true
      case .image, .nothing: return false
      }
    }
    return false
  }
}
