public import Calotype
public import CalotypeImaging

/// How loads of a slot are shown.
public struct SlotOptions: Sendable {
  /// What is shown until there is something better.
  public var placeholder = Placeholder.nothing
  /// What is shown when the load has failed. When this is `nil`, the ``placeholder``: one that is shown already stays
  /// as it is.
  public var failurePlaceholder: Placeholder?
  /// When the placeholder is shown.
  public var placeholderTiming = PlaceholderTiming.immediate
  /// Who shows what has arrived.
  public var delivery = Delivery.automatic
  /// When the image fades in. Previews and placeholders never do.
  public var transitions = TransitionPolicy.whenWaitedFor
  /// How long that takes.
  public var transitionDuration = Duration.milliseconds(500)

  /// As the properties say.
  public init() {}

  /// How an image appears.
  func transition(to response: ImageResponse) -> SlotState.Transition {
    switch transitions {
    case .never: .none
    case .whenWaitedFor: response.source == .memory ? .none : .fade(transitionDuration)
    case .always: .fade(transitionDuration)
    }
  }
}

extension SlotOptions {
  /// What is shown in place of an image.
  public enum Placeholder: Sendable {
    /// Nothing.
    case nothing
    /// A picture.
    case image(Image)
    /// The image of another request, such as a small variant, if it is in memory when the placeholder is to be shown.
    case cached(ImageRequest)
    /// The picture that was shown before, if there was one. It stays from the start, whatever the
    /// ``PlaceholderTiming``; a preview counts as the new picture.
    case previous
    /// The first of these that there is.
    indirect case first([Placeholder])
  }

  /// When the placeholder is shown. Never for an image that is in memory.
  public enum PlaceholderTiming: Hashable, Sendable {
    /// When the load begins.
    case immediate
    /// When nothing has arrived after this time, so that what comes soon does not make it flash. Nothing is shown until
    /// then.
    case after(Duration)
    /// When the load has failed. Nothing is shown until then.
    case onFailure
  }

  /// Who shows what has arrived.
  public enum Delivery: Hashable, Sendable {
    /// The slot.
    case automatic
    /// The owner, by ``ImageSlot/deliver()``. Placeholders are shown as ever.
    case manual
  }

  /// When an image fades in.
  public enum TransitionPolicy: Hashable, Sendable {
    /// Never.
    case never
    /// When it had to be waited for: whatever does not come from memory.
    case whenWaitedFor
    /// Whenever there is an image.
    case always
  }
}

extension SlotOptions.Placeholder {
  /// What may be shown in its place, the best first.
  enum Candidate: Sendable {
    case image(Image)
    case previous
    case nothing
  }

  /// Looks into the memory of the pipeline.
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
