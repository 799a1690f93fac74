import FoundationEssentials

/// What came of a run of ``ServerSoak``, for people or for machines.
struct SoakReport: Encodable {
  let command = "server"
  let seed: Int
  let seconds: Int
  let burst: Int
  /// What limits the memory of the process, if anything does.
  let confinement: String
  let isRight: Bool
  let requests: [String: Int]
  let endings: [String: Int]
  let peaks: [String: Int]
  let bounds: [String: Int]
  /// Milliseconds that 99 of 100 ordinary pictures took at most, by what the disk was doing.
  let canary: [String: Double]
  let breaches: [SoakRecord.Breach]

  init(_ soak: ServerSoak, _ record: SoakRecord, _ monitor: SoakMonitor, _ bounds: SoakBounds) {
    seed = soak.seed
    seconds = soak.seconds
    burst = soak.burst
    confinement = soak.confinement
    breaches = record.breaches
    isRight = breaches.isEmpty
    requests = Dictionary(uniqueKeysWithValues: record.requests.map { ($0.key.rawValue, $0.value) })
    endings = Dictionary(uniqueKeysWithValues: record.endings.map { ($0.key.rawValue, $0.value) })
    let peak = monitor.peak
    peaks = monitor.peaks.merging([
      "residentBytes": peak.residentBytes, "threads": peak.threads, "descriptors": peak.descriptors,
    ]) { $1 }
    self.bounds = Dictionary(uniqueKeysWithValues: SoakBounds.statistics.map { ($0.name, $0.bound) }).merging(
      [
        "residentBytes": monitor.residentBound, "threads": bounds.baseline.threads + SoakBounds.threads,
        "descriptors": bounds.baseline.descriptors + SoakBounds.descriptors,
        "canaryMilliseconds": Int(bounds.canary / .milliseconds(1)),
      ]) { $1 }
    canary = Dictionary(
      uniqueKeysWithValues: record.canaries.map {
        ($0.key.rawValue, (SoakRecord.percentile99($0.value) / .milliseconds(1)).rounded())
      })
  }

  /// One JSON object.
  var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  /// A line for each breach, and some that sum up.
  var text: String {
    let lines = breaches.map { breach in
      let values = "\(Self.short(breach.value)), bound \(Self.short(breach.bound))"
      return "\(breach.what): \(values), disk \(breach.phase), first after \(Self.short(breach.at)) s,"
        + " \(breach.count) times\(breach.detail.isEmpty ? "" : ": \(breach.detail)")"
    }
    func list(_ numbers: [String: some CustomStringConvertible]) -> String {
      numbers.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
    return
      (lines + [
        "server: \(seconds) s, seed \(seed), bursts of \(burst), memory confined by \(confinement);"
          + " \(requests.values.reduce(0, +)) requests: \(list(endings))",
        "peaks: \(list(peaks))", "bounds: \(list(bounds))", "canary, p99 in ms: \(list(canary))",
        "\(breaches.count) breaches; \(isRight ? "right" : "WRONG")",
      ]).joined(separator: "\n")
  }

  private static func short(_ value: Double) -> String {
    value == value.rounded() || value > 10_000 ? "\(Int(value))" : "\((value * 100).rounded() / 100)"
  }
}
