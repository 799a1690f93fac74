public import Calotype
public import CalotypeImaging

/// The options of a load in a slot: placeholders, delivery, transitions.
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
  /// The rule for fading in. Previews and placeholders never fade.
  public var transitions = TransitionPolicy.whenWaitedFor
  /// The duration of a fade.
  public var transitionDuration = Duration.milliseconds(500)

  /// Creates options with the defaults of the properties.
  public init() {}

  /// Returns the transition by which an image appears.
  func transition(to response: ImageResponse) -> SlotState.Transition {
    switch transitions {
    case .never: .none
    case .whenWaitedFor: response.source == .memory ? .none : .fade(transitionDuration)
    case .always: .fade(transitionDuration)
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
    /// The image of another request, such as a small variant, if it is in memory when the placeholder is shown.
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

  /// The rule for fading in.
  public enum TransitionPolicy: Hashable, Sendable {
    /// No image fades in.
    case never
    /// An image that does not come from memory fades in.
    case whenWaitedFor
    /// Every image fades in.
    case always
  }
}

extension SlotOptions.Placeholder {
  /// A candidate for the place of an image.
  enum Candidate: Sendable {
    case image(Image)
    case previous
    case nothing
  }

  /// Returns the candidates, the best first. Looks into the memory cache of the pipeline.
  func candidates(_ pipeline: ImagePipeline) -> [Candidate] {
    switch self {
    case .nothing: [.nothing]
    case .image(let image): [.image(image)]
    case .cached(let request): pipeline.cachedImage(for: request).map { [.image($0)] } ?? []
    case .previous: [.previous]
    case .first(let placeholders): placeholders.flatMap { $0.candidates(pipeline) }
    }
  }
}
