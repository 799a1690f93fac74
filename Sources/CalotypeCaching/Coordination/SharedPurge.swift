public import FoundationEssentials

/// An order to stop using records, for all nodes.
public struct SharedPurge: Hashable, Sendable {
  /// The records that are purged.
  public enum Scope: Hashable, Sendable {
    /// All records.
    case all
    /// The records of a selection.
    case selection(CacheSelection)
  }

  /// The treatment of purged records.
  public enum Mode: String, Hashable, Sendable, CaseIterable {
    /// They may be served while they are refreshed. The better choice where old content does no harm: no request waits.
    case stale
    /// They are never served again.
    case gone
  }

  /// The records that are purged.
  public var scope: Scope
  /// The treatment of these records.
  public var mode: Mode
  /// When the order was given, by the clock of the node that gave it. For display only: the order of entries in the log
  /// decides, never a clock.
  public var time: Date

  /// Creates an order.
  public init(_ scope: Scope, mode: Mode = .stale, time: Date = Date()) {
    self.scope = scope
    self.mode = mode
    self.time = time
  }
}
