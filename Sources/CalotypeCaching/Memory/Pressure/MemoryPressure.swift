/// How short memory is, as a ``MemoryPressureProviding`` reports it.
public struct MemoryPressure: Hashable, Sendable {
  /// What to do about it.
  public enum Level: Int, Comparable, Hashable, Sendable, CaseIterable {
    /// Nothing.
    case normal
    /// Give up what is not needed soon.
    case warning
    /// Give up what can be made again: else somebody is killed.
    case critical

    /// Whether less is to be done.
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  /// How short it is.
  public var level: Level
  /// Bytes that this process may use at all: of its control group or of the machine, whichever is less; `nil` when the
  /// source does not know.
  public var memoryLimit: Int?

  /// Creates a report.
  public init(_ level: Level, memoryLimit: Int? = nil) {
    self.level = level
    self.memoryLimit = memoryLimit
  }
}
