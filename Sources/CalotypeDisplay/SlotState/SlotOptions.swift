public import Calotype
public import CalotypeImaging

/// The options of a load in a slot: placeholders, delivery, transitions, playback.
public struct SlotOptions: Sendable {
  /// The placeholder shown until the image arrives.
  public var placeholder = Placeholder.nothing
  /// The placeholder shown when the load has failed. `nil` for ``placeholder``; one that is already shown
  /// stays.
  public var failurePlaceholder: Placeholder?
  /// The time at which the placeholder is shown.
  public var placeholderTiming = PlaceholderTiming.immediate
  /// Whether images are shown on arrival, or by ``ImageSlot/deliver()``.
  public var delivery = Delivery.automatic
  /// The images that appear with a transition. Previews, placeholders and frames of animations never do.
  public var transitions = TransitionPolicy.whenWaitedFor
  /// The effect of a transition.
  public var transitionEffect = TransitionEffect.fade
  /// The duration of a transition.
  public var transitionDuration = Duration.milliseconds(500)
  /// Whether an animation plays by itself, once it is shown and while the slot is watched, if its request selects
  /// all frames by `ImageRequest.frames`. ``ImageSlot/play()`` plays it otherwise.
  public var autoplay = true
  /// The pool that keeps decoded frames of animations.
  public var framePool = FramePool.shared

  /// Creates options with the defaults of the properties.
  public init() {}

  /// Returns the transition by which an image appears.
  func transition(to response: ImageResponse) -> SlotState.Transition {
    switch transitions {
    case .whenWaitedFor where response.source != .memory, .always:
      transitionEffect == .fade ? .fade(transitionDuration) : .effect(transitionEffect, transitionDuration)
    case .never, .whenWaitedFor: .none
    }
  }
}

extension SlotOptions {
  /// A placeholder for an image.
  public enum Placeholder: Sendable {
    /// Nothing.
    case nothing
    /// An image.
    case image(Image)
    /// The image of a request, such as the same one or a small variant, if it is cached: regardless of its age, and
    /// without the network. An image in memory is shown at once. One on disk, as far as
    /// `ImageRequest.readTiers` permits, replaces the next of several placeholders when it is read, unless
    /// content has arrived before.
    case cached(ImageRequest)
    /// The image that was shown before, if there was one. It stays from the beginning of the load,
    /// regardless of the ``PlaceholderTiming``; a preview replaces it.
    case previous
    /// The first of these that exists.
    indirect case first([Placeholder])
  }

  /// The time at which the placeholder is shown. It is never shown for an image that is in memory.
  public enum PlaceholderTiming: Hashable, Sendable {
    /// When the load begins.
    case immediate
    /// This long after the load has begun, if no content has arrived by then. No placeholder is shown before,
    /// so that a fast load does not make the placeholder flash.
    case after(Duration)
    /// When the load has failed. Nothing is shown before.
    case onFailure
  }

  /// The way that arrived images get onto the screen.
  public enum Delivery: Hashable, Sendable {
    /// The slot shows them on arrival.
    case automatic
    /// The owner shows them by ``ImageSlot/deliver()``. Placeholders are shown as with ``automatic``.
    case manual
  }

  /// The rule for transitions.
  public enum TransitionPolicy: Hashable, Sendable {
    /// No image has a transition.
    case never
    /// An image that does not come from memory has a transition.
    case whenWaitedFor
    /// Every image has a transition.
    case always
  }
}

extension SlotOptions.Placeholder {
  /// A candidate for the place of an image.
  enum Candidate: Sendable {
    case image(Image)
    /// The image of this request, if it is found on disk.
    case stored(ImageRequest)
    case previous
    case nothing
  }

  /// Returns the candidates, the best first. Looks into the memory cache of the pipeline.
  func candidates(_ pipeline: ImagePipeline) -> [Candidate] {
    switch self {
    case .nothing: [.nothing]
    case .image(let image): [.image(image)]
    case .cached(let request): Candidate(cached: request, in: pipeline).map { [$0] } ?? []
    case .previous: [.previous]
    case .first(let placeholders): placeholders.flatMap { $0.candidates(pipeline) }
    }
  }
}

extension SlotOptions.Placeholder.Candidate {
  /// The image of a request, of any age, without the network; `nil` if it is not in memory, and the request does not
  /// read other caches.
  fileprivate init?(cached request: ImageRequest, in pipeline: ImagePipeline) {
    var request = request
    request.cachePolicy = .cacheOnly
    if let image = pipeline.cachedImage(for: request) {
      self = .image(image)
    } else if !request.readTiers.isDisjoint(with: [.disk, .originals]) {
      self = .stored(request)
    } else {
      return nil
    }
  }
}
