public import Calotype
public import CalotypeImaging

/// The state of a slot: the content to draw, and the progress or outcome of the load.
public struct SlotState: Sendable {
  /// What is to be shown.
  public internal(set) var content = Content.nothing
  /// Another number for each other content. One that is new to an observer is to be drawn, with ``transition``.
  public internal(set) var contentVersion = 0
  /// Whether the content was there before the load began, and stays until it has something to show.
  public internal(set) var isPrevious = false
  /// How the content is to appear.
  public internal(set) var transition = Transition.none
  /// With ``SlotOptions/Delivery/manual``: what has arrived and waits for ``ImageSlot/deliver()``.
  public internal(set) var arrived: Content?
  /// Where the load is.
  public internal(set) var phase = Phase.idle
  /// How far it is.
  public internal(set) var progress = Progress()
  /// Why the last load failed, or why a stale image could not be refreshed; `nil` again when the next one begins.
  public internal(set) var error: (any Error)?
  /// What is being loaded, or was last.
  public internal(set) var request: ImageRequest?
  /// Which of several variants that is; what is shown may still be another, ``shownVariant``.
  public internal(set) var variant: ImageVariants.Variant?
  /// Which of several variants the content is; `nil` if it is none, or only stands in place of one.
  public internal(set) var shownVariant: ImageVariants.Variant?

  /// Shows nothing.
  public init() {}

  /// The picture that is to be shown; `nil` for nothing.
  public var image: Image? { content.image }
}

extension SlotState {
  /// What a slot shows.
  public enum Content: Sendable {
    /// Nothing.
    case nothing
    /// Something in place of the image.
    case placeholder(Image)
    /// What can be seen of the image so far, if ``ImageRequest/previews`` asks for that.
    case preview(Image)
    /// A cached image that will do while the server is asked for a newer one.
    case stale(ImageResponse)
    /// The image that was asked for.
    case image(ImageResponse)
    /// What was handed to ``ImageSlot/show(_:)``.
    case given(Image)

    /// The picture; `nil` for nothing.
    public var image: Image? {
      switch self {
      case .nothing: nil
      case .placeholder(let image), .preview(let image), .given(let image): image
      case .stale(let response), .image(let response): response.image
      }
    }

    /// Whether it is a picture that was asked for, not something in its place.
    public var isPicture: Bool {
      switch self {
      case .nothing, .placeholder: false
      case .preview, .stale, .image, .given: true
      }
    }
  }

  /// Where the load of a slot is.
  public enum Phase: Hashable, Sendable {
    /// Nothing was asked for, or nothing that had to be loaded.
    case idle
    /// It is on its way.
    case loading
    /// The image is there.
    case succeeded
    /// It could not be had; ``SlotState/error`` says why.
    case failed
    /// It was given up.
    case cancelled
  }

  /// How far a load is.
  public struct Progress: Hashable, Sendable {
    /// Bytes received so far; none for what came out of a cache.
    public var received = 0
    /// Bytes in all, when the server announced it.
    public var expected: Int?
    /// Whether the load has ended with an image, wherever it came from.
    public var isFinished = false

    /// Nothing yet.
    public init() {}

    /// 0 to 1; `nil` when the length is not known. Always 1 when the load has ended with an image.
    public var fraction: Double? {
      isFinished ? 1 : LoadProgress(received: received, expected: expected).fraction
    }
  }

  /// How to bring what is shown onto the screen. A hint: the slot draws nothing.
  public enum Transition: Hashable, Sendable {
    /// At once.
    case none
    /// By a cross-fade that takes so long; `CrossFade` makes its pictures.
    case fade(Duration)
  }
}
