/// A text file that a setting names, with its lines at the time of the load.
public struct LineFile: Hashable, Sendable {
  /// The path; empty for no file.
  public var path: String
  /// All lines, comments and empty ones included, so that indices are line numbers less 1.
  public var lines: [String]

  /// No file.
  public static let none = LineFile(path: "", lines: [])

  /// Makes a file of its parts.
  public init(path: String, lines: [String]) {
    self.path = path
    self.lines = lines
  }
}
