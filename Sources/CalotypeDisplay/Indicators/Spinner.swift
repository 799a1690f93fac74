import Calotype

/// Something that turns while one waits: pieces of text that follow each other. A value: whoever draws knows the time.
///
/// ```swift
/// print("\r\(Spinner.dots.frame(after: clock.now - start))", terminator: "")
/// ```
public struct Spinner: Hashable, Sendable {
  /// The pieces, at least one.
  public let frames: [String]
  /// How long each is shown.
  public let interval: Duration

  /// Creates a spinner; without frames it is empty, without a positive interval it stands still.
  public init(_ frames: [String], interval: Duration = .milliseconds(80)) {
    self.frames = frames.isEmpty ? [""] : frames
    self.interval = interval
  }

  /// Dots that run around, for terminals with Unicode.
  public static let dots = Spinner(["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"])
  /// A line that turns, in ASCII.
  public static let line = Spinner(["|", "/", "-", "\\"], interval: .milliseconds(130))

  /// What is shown when it has turned for so long.
  public func frame(after elapsed: Duration) -> String {
    guard interval > .zero, elapsed > .zero else { return frames[0] }
    return frames[Int(elapsed.attoseconds / interval.attoseconds % Int128(frames.count))]
  }
}
