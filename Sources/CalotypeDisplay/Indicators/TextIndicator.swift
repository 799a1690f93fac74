import Calotype
import CalotypeSupport

/// An indicator whose text somebody else prints, such as the line of a terminal.
///
/// ```swift
/// let indicator = TextIndicator(.bar(ProgressBar(width: 30)))
/// let slot = ImageSlot(pipeline, indicator: indicator)
/// print(indicator.text ?? "")
/// ```
public final class TextIndicator: ImageSlotIndicator {
  /// What it looks like.
  public enum Style: Hashable, Sendable {
    /// Turns for as long as the load takes.
    case spinner(Spinner)
    /// Fills as bytes arrive.
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
  ///   - style: What it looks like.
  ///   - clock: What a spinner turns by.
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

  /// Shows a text.
  public func start() {
    let elapsed = clock.stopwatch
    state.withLock { $0 = State(elapsed: elapsed) }
  }

  /// Fills a bar.
  public func progress(_ progress: SlotState.Progress) {
    state.withLock { $0.progress = progress }
  }

  /// Shows none.
  public func stop() {
    state.withLock { $0 = State() }
  }
}
