import Logging

/// A named value of a line.
struct LogField: Hashable, Sendable {
  let name: String
  let value: LogValue

  /// Metadata as fields in the order of their names.
  static func list(of metadata: Logger.Metadata, depth: Int = 0) -> [LogField] {
    metadata.sorted { $0.key < $1.key }.prefix(LogValue.maxItems).map {
      LogField(name: LogValue.cut($0.key), value: LogValue($0.value, depth: depth))
    }
  }
}
