/// Metrics in the text format of Prometheus.
struct PrometheusText {
  /// The text in front of the names of all series.
  let namespace: String
  private(set) var text = ""

  init(namespace: String) { self.namespace = namespace.isEmpty ? "" : namespace + "_" }

  /// Adds a series of counters.
  mutating func counter(_ name: String, _ help: String, _ values: [(labels: String, value: Int)]) {
    series(name, "counter", help, values.map { ($0.labels, String($0.value)) })
  }

  /// Adds a counter.
  mutating func counter(_ name: String, _ help: String, _ value: Int) { counter(name, help, [("", value)]) }

  /// Adds a series of gauges.
  mutating func gauge(_ name: String, _ help: String, _ values: [(labels: String, value: Double)]) {
    series(name, "gauge", help, values.map { ($0.labels, Self.number($0.value)) })
  }

  /// Adds a gauge.
  mutating func gauge(_ name: String, _ help: String, _ value: Double) { gauge(name, help, [("", value)]) }

  /// Adds histograms of durations, by their labels.
  mutating func histogram(
    _ name: String, _ help: String, _ values: [(labels: String, histogram: DurationHistogram)]
  ) {
    header(name, "histogram", help)
    for (labels, histogram) in values {
      let prefix = labels.isEmpty ? "" : labels + ","
      var total = 0
      for (bound, count) in zip(DurationHistogram.bounds, histogram.counts) {
        total += count
        line(name + "_bucket", prefix + "le=\"\(Self.number(bound))\"", String(total))
      }
      line(name + "_bucket", prefix + "le=\"+Inf\"", String(histogram.count))
      line(name + "_sum", labels, Self.number(histogram.sum))
      line(name + "_count", labels, String(histogram.count))
    }
  }

  private mutating func series(
    _ name: String, _ type: String, _ help: String, _ values: [(labels: String, value: String)]
  ) {
    header(name, type, help)
    for (labels, value) in values { line(name, labels, value) }
  }

  private mutating func header(_ name: String, _ type: String, _ help: String) {
    text += "# HELP \(namespace)\(name) \(help)\n# TYPE \(namespace)\(name) \(type)\n"
  }

  private mutating func line(_ name: String, _ labels: String, _ value: String) {
    text += "\(namespace)\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(value)\n"
  }

  /// A duration as a value.
  static func seconds(_ duration: Duration) -> Double {
    let (seconds, attoseconds) = duration.components
    return Double(seconds) + Double(attoseconds) / 1e18
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
  }
}
