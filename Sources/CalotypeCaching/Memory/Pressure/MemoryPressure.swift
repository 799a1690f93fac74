/// The memory pressure that a ``MemoryPressureProviding`` reports.
public struct MemoryPressure: Hashable, Sendable {
  /// The severity.
  public enum Level: Int, Comparable, Hashable, Codable, Sendable, CaseIterable {
    /// Memory is sufficient.
    case normal
    /// Memory is short: release values that are not needed soon.
    case warning
    /// Memory is critically short: release everything that can be recreated, before the kernel kills a process.
    case critical

    /// Compares the severities.
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  /// The severity.
  public var level: Level
  /// The most bytes that this process may use: the limit of its control group or the memory of the machine, whichever
  /// is less; `nil` when unknown.
  public var memoryLimit: Int?

  /// Creates a report.
  public init(_ level: Level, memoryLimit: Int? = nil) {
    self.level = level
    self.memoryLimit = memoryLimit
  }
}
