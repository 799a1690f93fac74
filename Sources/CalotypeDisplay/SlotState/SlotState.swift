public import Calotype
public import CalotypeImaging

/// The state of a slot: the content to draw, and the progress or outcome of the load.
public struct SlotState: Sendable {
  /// The content to show.
  public internal(set) var content = Content.nothing
  /// The frame of the animation in ``content`` that is shown; `nil` before the first, and for a still image.
  public internal(set) var frame: AnimationFrame?
  /// A number that changes with the content and its frame. When it is new to an observer, the observer draws
  /// ``image``, with ``transition``.
  public internal(set) var contentVersion = 0
  /// Whether the content is from before the load, and stays until the load delivers some.
  public internal(set) var isPrevious = false
  /// The transition by which the content appears.
  public internal(set) var transition = Transition.none
  /// With ``SlotOptions/Delivery/manual``: the content that has arrived and waits for ``ImageSlot/deliver()``.
  public internal(set) var arrived: Content?
  /// The phase of the load.
  public internal(set) var phase = Phase.idle
  /// The progress of the load.
  public internal(set) var progress = Progress()
  /// The error of the last load, of a failed refresh of a stale image, or of a frame that cannot be decoded,
  /// which ends the playback; `nil` again when the next load begins.
  public internal(set) var error: (any Error)?
  /// The request that is being loaded, or was loaded last.
  public internal(set) var request: ImageRequest?
  /// The variant that ``request`` is for. The content may still be of another one, ``shownVariant``.
  public internal(set) var variant: ImageVariants.Variant?
  /// The variant that the content is of; `nil` for a placeholder, and where there are no variants.
  public internal(set) var shownVariant: ImageVariants.Variant?

  /// Creates the state of a slot that shows nothing.
  public init() {}

  /// The image to show: the frame of an animation that plays, otherwise that of the content; `nil` for nothing.
  public var image: Image? { frame?.image ?? content.image }
}

extension SlotState {
  /// The content of a slot.
  public enum Content: Sendable {
    /// Nothing.
    case nothing
    /// A placeholder for the image.
    case placeholder(Image)
    /// A preview of the arriving image, if enabled by `ImageRequest.previews`.
    case preview(Image)
    /// A stale image, shown during its revalidation.
    case stale(ImageResponse)
    /// The requested image.
    case image(ImageResponse)
    /// The image passed to ``ImageSlot/show(_:)-(Image)``, or the first frame of the player passed to
    /// ``ImageSlot/show(_:)-(AnimationPlayer)``.
    case given(Image)

    /// The image to draw; `nil` for nothing.
    public var image: Image? {
      switch self {
      case .nothing: nil
      case .placeholder(let image), .preview(let image), .given(let image): image
      case .stale(let response), .image(let response): response.image
      }
    }

    /// Whether it is a requested or given image, not a placeholder.
    public var isPicture: Bool {
      switch self {
      case .nothing, .placeholder: false
      case .preview, .stale, .image, .given: true
      }
    }
  }

  /// The phase of a load.
  public enum Phase: Hashable, Sendable {
    /// There is no request.
    case idle
    /// The load is in progress.
    case loading
    /// The image has been loaded.
    case succeeded
    /// The load has failed, with ``SlotState/error``.
    case failed
    /// The load was cancelled.
    case cancelled
  }

  /// The progress of a load.
  public struct Progress: Hashable, Sendable {
    /// Bytes received so far; 0 for an image from a cache.
    public var received = 0
    /// The length in bytes, if the server announced it.
    public var expected: Int?
    /// Whether the load has ended with an image, from any source.
    public var isFinished = false

    /// Creates the progress of a load that has received nothing.
    public init() {}

    /// The received fraction, 0 to 1; `nil` when the length is unknown. Always 1 when the load has ended
    /// with an image.
    public var fraction: Double? {
      isFinished ? 1 : LoadProgress(received: received, expected: expected).fraction
    }
  }

  /// The way to bring content onto the screen. A hint: the slot draws nothing.
  public enum Transition: Hashable, Sendable {
    /// At once.
    case none
    /// A cross-fade of this duration; `CrossFade` makes its frames.
    case fade(Duration)
    /// ``SlotOptions/transitionEffect``, if it is another one than a fade, with its duration.
    case effect(TransitionEffect, Duration)

    /// The duration; zero for none.
    public var duration: Duration {
      switch self {
      case .none: .zero
      case .fade(let duration), .effect(_, let duration): duration
      }
    }

    /// Returns the pictures of the transition. Without one, all are the new picture.
    ///
    /// - Parameters:
    ///   - old: The picture before; `nil` for none.
    ///   - new: The picture after.
    /// - Throws: as ``TransitionEffect/frames(from:to:)``.
    public func frames(from old: Bitmap?, to new: Bitmap) throws(ImagingError) -> TransitionFrames {
      switch self {
      case .none: TransitionFrames(end: new) { (_) throws(ImagingError) in new }
      case .fade: try TransitionEffect.fade.frames(from: old, to: new)
      case .effect(let effect, _): try effect.frames(from: old, to: new)
      }
    }
  }
}
