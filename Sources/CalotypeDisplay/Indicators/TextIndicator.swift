import Calotype
import CalotypeSupport

/// An indicator that provides a text for the program to print, such as a line of a terminal.
///
/// ```swift
/// let indicator = TextIndicator(.bar(ProgressBar(width: 30)))
/// let slot = ImageSlot(pipeline, indicator: indicator)
/// print(indicator.text ?? "")
/// ```
public final class TextIndicator: ImageSlotIndicator {
  /// The look of the text.
  public enum Style: Hashable, Sendable {
    /// A spinner that turns until the load ends.
    case spinner(Spinner)
    /// A bar that fills as bytes arrive.
    case bar(ProgressBar)
  }

  private struct State {
    var elapsed: (@Sendable () -> Duration)?
    var progress = SlotState.Progress()
  }

  private let style: Style
  private let clock: any Clock<Duration>
  private let state = Lock(State())

  /// Creates an indicator.
  ///
  /// - Parameters:
  ///   - style: The look of the text.
  ///   - clock: The clock of a spinner.
  public init(_ style: Style, clock: any Clock<Duration> = ContinuousClock()) {
    self.style = style
    self.clock = clock
  }

  /// The text now; `nil` when nothing is being loaded.
  public var text: String? {
    let (elapsed, progress) = state.withLock { ($0.elapsed, $0.progress) }
    guard let elapsed else { return nil }
    return switch style {
    case .spinner(let spinner): spinner.frame(after: elapsed())
    case .bar(let bar): bar.text(for: progress.fraction)
    }
  }

  /// Shows the text.
  public func start() {
    let elapsed = clock.stopwatch
    state.withLock { $0 = State(elapsed: elapsed) }
  }

  /// Updates the bar.
  public func progress(_ progress: SlotState.Progress) {
    state.withLock { $0.progress = progress }
  }

  /// Hides the text.
  public func stop() {
    state.withLock { $0 = State() }
  }
}
