import Calotype

/// The frames of an animated text that shows that work is under way. A value: the caller passes the time.
///
/// ```swift
/// print("\r\(Spinner.dots.frame(after: clock.now - start))", terminator: "")
/// ```
public struct Spinner: Hashable, Sendable {
  /// The frames, at least one.
  public let frames: [String]
  /// The duration of a frame.
  public let interval: Duration

  /// Creates a spinner. Without frames it is an empty text; without a positive interval it does not move.
  public init(_ frames: [String], interval: Duration = .milliseconds(80)) {
    self.frames = frames.isEmpty ? [""] : frames
    self.interval = interval
  }

  /// Dots that run around, for terminals with Unicode.
  public static let dots = Spinner(["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"])
  /// A line that turns, in ASCII.
  public static let line = Spinner(["|", "/", "-", "\\"], interval: .milliseconds(130))

  /// Returns the frame at a time after the start.
  public func frame(after elapsed: Duration) -> String {
    guard interval > .zero, elapsed > .zero else { return frames[0] }
    return frames[Int(elapsed.attoseconds / interval.attoseconds % Int128(frames.count))]
  }
}
