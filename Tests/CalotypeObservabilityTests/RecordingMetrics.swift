import CalotypeSupport
import CoreMetrics

/// A backend that keeps all values, by name and labels.
final class RecordingMetrics: MetricsFactory {
  private let state = Lock([String: [Int64]]())

  /// Of one series: `name{label=value,…}`.
  func values(_ series: String) -> [Int64] { state.withLock { $0[series] ?? [] } }

  func sum(_ series: String) -> Int64 { values(series).reduce(0, +) }

  /// All series that have a value.
  var series: Set<String> { state.withLock { Set($0.keys) } }

  final class Handler: CounterHandler, RecorderHandler, TimerHandler {
    private let name: String
    private let add: @Sendable (String, Int64) -> Void

    init(_ name: String, add: @escaping @Sendable (String, Int64) -> Void) {
      self.name = name
      self.add = add
    }

    func increment(by value: Int64) { add(name, value) }
    func reset() {}
    func record(_ value: Int64) { add(name, value) }
    func record(_ value: Double) { add(name, Int64(value)) }
    func recordNanoseconds(_ value: Int64) { add(name, value) }
  }

  private func handler(_ label: String, _ dimensions: [(String, String)]) -> Handler {
    let labels = dimensions.map { "\($0)=\($1)" }.joined(separator: ",")
    return Handler(labels.isEmpty ? label : "\(label){\(labels)}") { [state] name, value in
      state.withLock { $0[name, default: []].append(value) }
    }
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    handler(label, dimensions)
  }
  func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    handler(label, dimensions)
  }
  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    handler(label, dimensions)
  }
  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
}
