public import Calotype
public import CalotypeImaging
public import FoundationEssentials

/// The content of one place of a screen, such as a cell of a table: one request at a time, from placeholder to image.
///
/// ```swift
/// let slot = ImageSlot(pipeline)
/// slot.load(ImageRequest(url: url), placeholder: .image(gray))
/// for await state in slot.states {
///   draw(state.image, by: state.transition)
/// }
/// ```
///
/// A new load replaces the previous one: no result of the replaced load is shown afterwards, and callers
/// that wait for it get a `CancellationError`. So do ``show(_:)-(Image)``, ``showPlaceholder()``, ``cancel()``, and
/// the release of the slot. If `ImagePipeline.cachedImage(for:)` has an image for the request, it is
/// shown when ``load(_:placeholder:options:)-(ImageRequest?,_,_)`` returns. No method suspends or blocks
/// except ``loaded(_:placeholder:options:)``, and all may be called from any isolation.
///
/// A slot draws nothing: its ``state`` determines the image to draw, and its ``Transition``. The frames of an
/// animation follow each other as states while the slot is watched; see ``isVisible``.
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
  /// The placeholder for an image.
  public typealias Placeholder = SlotOptions.Placeholder
  /// The time at which a placeholder is shown.
  public typealias PlaceholderTiming = SlotOptions.PlaceholderTiming
  /// The way that arrived images get from a load to the screen.
  public typealias Delivery = SlotOptions.Delivery
  /// The rule for transitions.
  public typealias TransitionPolicy = SlotOptions.TransitionPolicy

  /// The default options of loads.
  public let options: Options
  let core: SlotDriver

  /// Creates a slot that shows nothing.
  ///
  /// - Parameters:
  ///   - pipeline: The pipeline that loads images.
  ///   - options: The default options of loads.
  ///   - indicator: Shows that a load is under way.
  ///   - clock: The clock of ``SlotOptions/PlaceholderTiming/after(_:)``; that of the pipeline by default.
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

  // MARK: State

  /// The present state.
  public var state: State { core.machine.value.state }

  /// The present state, then the newest after each change. The sequence does not hold the slot, and ends
  /// when the slot is released.
  public var states: States { States(core: core) }

  // MARK: Loading

  /// Loads an image in place of the load before.
  ///
  /// - Parameters:
  ///   - request: The request. With `nil`, the load has failed with ``SlotError/noSource`` when this returns, and
  ///     the placeholder is shown.
  ///   - placeholder: The placeholder, instead of that of the options.
  ///   - options: The options, instead of those of the slot.
  /// - Returns: The load.
  @discardableResult
  public func load(
    _ request: ImageRequest?, placeholder: Placeholder? = nil, options: Options? = nil
  ) -> Load {
    Load(load: begin(request, merged(placeholder, options)), core: core)
  }

  /// Loads the image at a URL, upright and at full size, in place of the load before.
  ///
  /// - Parameters:
  ///   - url: The URL of the image; `nil` as without a request.
  ///   - placeholder: The placeholder, instead of that of the options.
  ///   - options: The options, instead of those of the slot.
  /// - Returns: The load.
  @discardableResult
  public func load(_ url: URL?, placeholder: Placeholder? = nil, options: Options? = nil) -> Load {
    load(url.map { ImageRequest(url: $0) }, placeholder: placeholder, options: options)
  }

  private func begin(_ request: ImageRequest?, _ options: Options) -> SlotLoad {
    guard let request else { return core.refuse(SlotError.noSource, options) }
    return core.begin(SlotTarget(request: request), options)
  }

  /// Loads an image in place of the previous load, and waits for it. Cancelling the task cancels the load.
  ///
  /// - Returns: The image, once it is shown, or offered by ``SlotOptions/Delivery/manual``.
  /// - Throws: as `ImagePipeline.image(for:)`; `CancellationError` when the load was
  ///   cancelled or replaced by another; ``SlotError/noSource`` without a request.
  public func loaded(
    _ request: ImageRequest?, placeholder: Placeholder? = nil, options: Options? = nil
  ) async throws -> ImageResponse {
    try Task.checkCancellation()
    let load = begin(request, merged(placeholder, options))
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

  // MARK: Other content

  /// Cancels the load, and shows an image.
  public func show(_ image: Image) {
    core.apply { $0.replace(with: .given(image)) }
  }

  /// Cancels the load, and shows the placeholder of the slot's options.
  public func showPlaceholder() {
    showPlaceholder(options.placeholder)
  }

  /// Cancels the load, and shows a placeholder. The present picture is removed, so that
  /// ``SlotOptions/Placeholder/previous`` shows nothing.
  public func showPlaceholder(_ placeholder: Placeholder) {
    let candidates = placeholder.candidates(core.pipeline)
    core.apply { $0.replace(with: nil, or: candidates) }
  }

  /// Cancels the load and discards its offer. The content stays.
  public func cancel() {
    core.apply { $0.cancel() }
  }

  /// Shows the content that has arrived, with ``SlotOptions/Delivery/manual``.
  ///
  /// - Returns: Whether any content had arrived.
  @discardableResult
  public func deliver() -> Bool {
    core.apply { $0.deliver() }.isDone
  }
}
