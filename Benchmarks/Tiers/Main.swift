import Glibc

/// Simulates nodes over a shared bucket and Redis, with the state machines of `CalotypeTiers` on a virtual clock.
///
///     TiersSimulation [--nodes N] [--seeds N] [--json]
///
/// Ends with 1 when a bar does not hold, and with 64 for wrong usage.
@main enum Main {
  static func main() throws {
    do {
      try run()
    } catch let usage as Usage {
      _ = Array("\(usage)\n".utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
      exit(64)
    }
  }

  private static func run() throws {
    var simulation = Simulation()
    var isJSON = false
    var arguments = CommandLine.arguments.dropFirst()
    while let argument = arguments.popFirst() {
      switch argument {
      case "--nodes": simulation.nodes = try number(&arguments, argument, 2...1_000)
      case "--seeds": simulation.seeds = try number(&arguments, argument, 1...100)
      case "--json": isJSON = true
      case "--short": simulation.isShort = true
      default: throw Usage(description: "usage: TiersSimulation [--nodes N] [--seeds N] [--short] [--json]")
      }
    }
    var report = Report()
    if !isJSON { print(Report.heading) }
    let bars = simulation.run { row in
      let line = report.add(row)
      guard !isJSON else { return }
      print(line)
      fflush(nil)
    }
    if isJSON {
      print(try report.json(bars))
    } else {
      let failed = bars.filter { !$0.holds }
      print("\n\(bars.count) bars, \(failed.count) do not hold")
      for bar in bars where !bar.holds || bar.limit > 0 { print(Report.text(of: bar)) }
    }
    if bars.contains(where: { !$0.holds }) { exit(1) }
  }

  struct Usage: Error, CustomStringConvertible {
    var description: String
  }

  private static func number(
    _ arguments: inout ArraySlice<String>, _ name: String, _ range: ClosedRange<Int>
  ) throws -> Int {
    guard let text = arguments.popFirst(), let value = Int(text), range.contains(value) else {
      throw Usage(description: "\(name) takes a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }
}
