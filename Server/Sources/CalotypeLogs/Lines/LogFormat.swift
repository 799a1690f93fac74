/// A form of log lines.
public enum LogFormat: String, Hashable, Sendable, CaseIterable {
  /// Time, level and message in columns, then `key=value`: for people.
  case pretty
  /// `key=value` alone.
  case structured
  /// A JSON object.
  case json
  /// A JSON object with the names that Google Cloud Logging knows.
  case gcp
}
