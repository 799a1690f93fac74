import FoundationEssentials

/// The figures as text, and as JSON.
struct Report {
  private struct Line: Codable {
    var scenario: String
    var fetchesPerObject: Double
    var mostFetches: Int
    var peak: Int
    var p50, p99, p999: Double
    var commandsPerRequest: Double
    var gets, puts, requests, errors, violations: Int
  }

  private struct Verdict: Codable {
    var bar: String
    var value, limit: Double
    var holds: Bool
  }

  private struct Everything: Codable {
    var scenarios: [Line]
    var bars: [Verdict]
  }

  private var lines: [Line] = []

  static let heading =
    pad("scenario", 44)
    + ["fetch/obj", "max", "peak", "p50 ms", "p99 ms", "p99.9 ms", "cmd/req", "GETs", "PUTs"]
    .map { pad($0, 10, isNumber: true) }.joined()

  mutating func add(_ row: Simulation.Row) -> String {
    func count(_ value: (Figures) -> Int) -> Int { Int(row.mean { Double(value($0)) }) }
    let line = Line(
      scenario: row.scenario.name, fetchesPerObject: row.mean(\.fetchesPerObject),
      mostFetches: Int(row.worst { Double($0.mostFetches) }), peak: count(\.peak),
      p50: row.mean { $0.latency(0.5, from: 10, to: 20) },
      p99: row.mean { $0.latency(0.99, from: 10, to: 20) },
      p999: row.mean { $0.latency(0.999, from: 10, to: 20) },
      commandsPerRequest: row.mean(\.commandsPerRequest),
      gets: count(\.gets), puts: count(\.puts), requests: count(\.requests),
      errors: Int(row.worst { Double($0.errors) }), violations: Int(row.worst { Double($0.violations) }))
    lines.append(line)
    let numbers = [
      Self.text(line.fetchesPerObject, 2), "\(line.mostFetches)", "\(line.peak)", Self.text(line.p50, 1),
      Self.text(line.p99, 1), Self.text(line.p999, 1), Self.text(line.commandsPerRequest, 3), "\(line.gets)",
      "\(line.puts)",
    ]
    return Self.pad(line.scenario, 44) + numbers.map { Self.pad($0, 10, isNumber: true) }.joined()
  }

  static func text(of bar: Bar) -> String {
    "\(bar.holds ? "  holds" : "* FAILS")  \(pad(bar.name, 60)) \(text(bar.value, 3)) (at most \(text(bar.limit, 2)))"
  }

  func json(_ bars: [Bar]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let verdicts = bars.map { Verdict(bar: $0.name, value: $0.value, limit: $0.limit, holds: $0.holds) }
    return String(decoding: try encoder.encode(Everything(scenarios: lines, bars: verdicts)), as: UTF8.self)
  }

  private static func text(_ value: Double, _ digits: Int) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let scaled = Int((abs(value) * scale).rounded())
    let whole = String(scaled / Int(scale))
    guard digits > 0 else { return whole }
    let fraction = String(scaled % Int(scale))
    return (value < 0 ? "-" : "") + whole + "." + String(repeating: "0", count: digits - fraction.count)
      + fraction
  }

  private static func pad(_ text: String, _ width: Int, isNumber: Bool = false) -> String {
    let spaces = String(repeating: " ", count: max(0, width - text.count))
    return isNumber ? spaces + text : text + spaces
  }
}
