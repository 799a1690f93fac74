public import FoundationEssentials

/// The end of the work for one key, as the other nodes learn it.
public enum FlightOutcome: Hashable, Sendable {
  /// The value is in the shared cache.
  case stored
  /// The encoded record itself, header and payload, for small ones: it needs no shared cache. An implementation may turn a
  /// record that is too large into ``stored``.
  case value(Data)
  /// The origin has no such value: its status, 404 or 410.
  case absent(status: Int)
  /// The value must not be shared: each node makes its own.
  case isPrivate
  /// The work failed: the code of the error, such as `CachingError.code`. Nodes that waited fail as well, or serve a stale
  /// record, instead of trying one after another.
  case failed(code: String)

  /// The pauses before the attempts to read a value that another node has ``stored``: the shared cache may lag behind. A node
  /// that has not found it after the last one makes the value itself.
  public static let readPauses: [Duration] = [
    .zero, .milliseconds(20), .milliseconds(40), .milliseconds(80),
  ]
}
