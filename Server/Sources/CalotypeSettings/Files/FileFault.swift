/// A line of a file that cannot be read. The rule has nothing of the line, which may have secrets.
struct FileFault: Error, Hashable, Sendable {
  /// The line, counted from 1.
  let line: Int
  /// The rule that the line breaks.
  let rule: String
  /// The remedy.
  let remedy: String
}
