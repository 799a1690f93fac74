/// The `Server-Timing` field: the stages of a request with their durations, for the developer tools of browsers.
///
/// ```swift
/// ServerTiming([.queue: .milliseconds(3), .decode: .microseconds(12_340)]).value    // queue;dur=3, decode;dur=12.34
/// ```
public struct ServerTiming: Hashable, Sendable {
  /// A stage of a request.
  public enum Stage: String, Hashable, Sendable, CaseIterable {
    /// The wait for admission.
    case queue
    /// The transfer of the source.
    case fetch
    /// The decoding.
    case decode
    /// The transforms.
    case transform
    /// The encoding.
    case encode
  }

  /// The durations of the stages that took place.
  public var durations: [Stage: Duration]

  /// Creates a field.
  public init(_ durations: [Stage: Duration] = [:]) {
    self.durations = durations
  }

  /// The value of the field, in milliseconds with two decimals; `nil` without stages.
  public var value: String? {
    let parts = Stage.allCases.compactMap { stage in
      durations[stage].map { "\(stage.rawValue);dur=\(Self.milliseconds($0))" }
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  private static func milliseconds(_ duration: Duration) -> String {
    let bounded = min(max(duration, .zero), .seconds(86_400))
    let (seconds, attoseconds) = bounded.components
    // Hundredths of milliseconds, rounded.
    let units = seconds * 100_000 + (attoseconds + 5_000_000_000_000) / 10_000_000_000_000
    var text = "\(units / 100)"
    let rest = units % 100
    if rest > 0 { text += rest < 10 ? ".0\(rest)" : rest % 10 == 0 ? ".\(rest / 10)" : ".\(rest)" }
    return text
  }
}
