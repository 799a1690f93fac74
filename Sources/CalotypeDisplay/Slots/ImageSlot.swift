public import Calotype
public import CalotypeImaging
public import FoundationEssentials

/// What should be shown now in one place of a screen: one request at a time, from the placeholder to the image.
///
/// ```swift
/// let slot = ImageSlot(pipeline)
/// slot.load(ImageRequest(url: url), placeholder: .image(gray))
/// for await state in slot.states {
///   draw(state.image, state.transition)
/// }
/// ```
///
/// Beginning a load gives up the one before: whatever was on its way, nothing of it is seen afterwards, and whoever
/// waits for it gets a `CancellationError`. So do ``show(_:)``, ``showPlaceholder()``, ``cancel()``, and letting go of
/// the slot. An image that ``ImagePipeline/cachedImage(for:)`` has for its request is there when
/// ``load(_:placeholder:options:)-(ImageRequest?,_,_)`` returns; nothing else ever suspends or blocks, and all of it
/// may be called from any isolation.
///
/// It draws nothing: it says what is to be drawn, and by what ``Transition``.
public final class ImageSlot: Sendable {
  /// The state of a slot.
  public typealias State = SlotState
  /// The content that a slot shows.
  public typealias Content = SlotState.Content
  /// The phase of a load.
  public typealias Phase = SlotState.Phase
  /// The progress of a load.
  public typealias Progress = SlotState.Progress
  /// The way that an image is brought onto the screen.
  public typealias Transition = SlotState.Transition
  /// The options of loads.
  public typealias Options = SlotOptions
  /// The picture shown in place of an image.
  public typealias Placeholder = SlotOptions.Placeholder
  /// The time at which a placeholder is shown.
  public typealias PlaceholderTiming = SlotOptions.PlaceholderTiming
  /// The way that arrived images get from a load to the screen.
  public typealias Delivery = SlotOptions.Delivery
  /// The rule for transitions.
  public typealias TransitionPolicy = SlotOptions.TransitionPolicy

  /// How loads are shown that do not say otherwise.
  public let options: Options
  let core: SlotDriver

  /// Creates a slot that shows nothing.
  ///
  /// - Parameters:
  ///   - pipeline: Where images come from.
  ///   - options: How loads are shown that do not say otherwise.
  ///   - indicator: Told of each load that has to be waited for.
  ///   - clock: The clock of ``PlaceholderTiming/after(_:)``; that of the pipeline by default.
  public init(
    _ pipeline: ImagePipeline, options: Options = Options(), indicator: (any ImageSlotIndicator)? = nil,
    clock: (any Clock<Duration>)? = nil
  ) {
    self.options = options
    core = SlotDriver(pipeline, clock: clock ?? pipeline.configuration.clock, indicator: indicator)
  }

  deinit { core.close() }

  /// The pipeline that the images come from.
  public var pipeline: ImagePipeline { core.pipeline }

  // MARK: What is shown

  /// What is to be shown now.
  public var state: State { core.books.value.state }

  /// The present state, and then whatever is the newest. Ends when the slot goes: what is returned does not hold it.
  public var states: States { States(books: core.books) }

  // MARK: Loading

  /// Gives up the load before, and begins this one.
  ///
  /// - Parameters:
  ///   - request: What to show. `nil` shows the placeholder, at once.
  ///   - placeholder: What to show until then, instead of what the options say.
  ///   - options: How to show it, instead of what the slot says.
  /// - Returns: Its ending, for those who want to know; `nil` without a request.
  @discardableResult
  public func load(
    _ request: ImageRequest?, placeholder: Placeholder? = nil, options: Options? = nil
  ) -> Load? {
    guard let request else {
      showPlaceholder(placeholder ?? (options ?? self.options).placeholder)
      return nil
    }
    return load(of: request, placeholder, options)
  }

  /// Gives up the load before, and begins that of the image at a URL, upright and at full size.
  ///
  /// - Parameters:
  ///   - url: Where it is.
  ///   - placeholder: What to show until then, instead of what the options say.
  ///   - options: How to show it, instead of what the slot says.
  /// - Returns: Its ending, for those who want to know.
  @discardableResult
  public func load(_ url: URL, placeholder: Placeholder? = nil, options: Options? = nil) -> Load {
    load(of: ImageRequest(url: url), placeholder, options)
  }

  private func load(of request: ImageRequest, _ placeholder: Placeholder?, _ options: Options?) -> Load {
    Load(load: core.begin(SlotTarget(request: request), merged(placeholder, options)), core: core)
  }

  /// Gives up the load before, begins this one, and waits for its end. Cancelling the task gives it up.
  ///
  /// - Returns: The image, when it is shown, or offered by ``Delivery/manual``.
  /// - Throws: as ``ImagePipeline/image(for:)-(ImageRequest)``; `CancellationError` when the load was given up or replaced by
  ///   another.
  public func loaded(
    _ request: ImageRequest, placeholder: Placeholder? = nil, options: Options? = nil
  ) async throws -> ImageResponse {
    try Task.checkCancellation()
    let load = core.begin(SlotTarget(request: request), merged(placeholder, options))
    return try await withTaskCancellationHandler {
      try await load.value()
    } onCancel: {
      core.cancel(load)
    }
  }

  func merged(_ placeholder: Placeholder?, _ options: Options?) -> Options {
    var options = options ?? self.options
    if let placeholder { options.placeholder = placeholder }
    return options
  }

  // MARK: Showing something else

  /// Gives up the load, and shows a picture.
  public func show(_ image: Image) {
    core.apply { $0.replace(with: .given(image)) }
  }

  /// Gives up the load, and shows the placeholder of the slot's options.
  public func showPlaceholder() {
    showPlaceholder(options.placeholder)
  }

  /// Gives up the load, and shows a placeholder: not what is shown now, so that ``Placeholder/previous`` is none.
  public func showPlaceholder(_ placeholder: Placeholder) {
    let candidates = placeholder.candidates(core.pipeline)
    core.apply { $0.replace(with: nil, or: candidates) }
  }

  /// Gives up the load, and what it has offered. What is shown stays.
  public func cancel() {
    core.apply { $0.cancel() }
  }

  /// With ``Delivery/manual``: shows what has arrived.
  ///
  /// - Returns: Whether there was anything.
  @discardableResult
  public func deliver() -> Bool {
    core.apply { $0.deliver() }.isDone
  }
}
