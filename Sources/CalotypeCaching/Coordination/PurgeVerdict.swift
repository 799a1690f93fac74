/// The use of a record after all purges that a node knows of.
public enum PurgeVerdict: Hashable, Sendable {
  /// No purge concerns the record.
  case valid
  /// The record may be served while it is refreshed.
  case stale
  /// The record must not be served.
  case gone
}
