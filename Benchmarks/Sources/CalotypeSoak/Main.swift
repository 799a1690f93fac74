import BenchmarkHarness
import Glibc

/// Long runs of the loader against servers in processes of their own, of the disk cache in several processes, and of a
/// whole pipeline under the load of a server; exit status 1 if anything was wrong.
///
///     calotype-soak http2 [--runs N] [--transfers N]
///     calotype-soak faults [--downloads N] [--seed N]
///     calotype-soak exits [--runs N] [--seed N]
///     calotype-soak cache-kills [--kills N] [--seed N]
///     calotype-soak cache-sharing [--seconds N]
///     calotype-soak server [--seconds N] [--seed N] [--burst N] [--canary MS] [--json] [--control-group] [--sandbox]
@main
enum Main {
  static func main() async throws {
    var arguments = CommandLine.arguments.dropFirst()
    let command = arguments.popFirst() ?? ""
    if command == "load", arguments.count == 3, let microseconds = arguments.last.flatMap({ UInt32($0) }) {
      // The child of `exits`.
      ExitSoak.load(CommandLine.arguments[2], caFile: CommandLine.arguments[3], microseconds: microseconds)
    }
    if command == "lock-holder", let path = arguments.first {
      // A child of `server`.
      exit(SoakDisk.holdLock(path) ? 0 : 1)
    }
    if command.hasPrefix("cache-"), try await runCacheChild(command, Array(arguments)) { return }
    let group = command == "server-member" ? arguments.popFirst() : nil
    let flags = arguments.filter { ["--json", "--control-group", "--sandbox"].contains($0) }
    if !flags.isEmpty, !command.hasPrefix("server") { usage("\(flags[0]) is for server") }
    arguments.removeAll { flags.contains($0) }
    let words = Array(arguments)
    var values: [String: Int] = [:]
    while let name = arguments.popFirst() {
      guard name.hasPrefix("--"), let value = arguments.popFirst().flatMap({ Int($0) }), value > 0 else {
        usage("\(name) needs a number of at least 1")
      }
      values[name] = value
    }
    func value(_ name: String, _ standard: Int) -> Int { values.removeValue(forKey: name) ?? standard }
    let work: () async throws -> Bool
    switch command {
    case "http2":
      let soak = HTTP2Soak(runs: value("--runs", 200), transfers: value("--transfers", 2_000))
      work = soak.run
    case "faults":
      let soak = FaultSoak(downloads: value("--downloads", 10_000), seed: value("--seed", 1))
      work = soak.run
    case "exits":
      work = ExitSoak(runs: value("--runs", 200), seed: value("--seed", 1)).run
    case "cache-kills":
      work = CacheKills(kills: value("--kills", 2_000), seed: value("--seed", 1)).run
    case "cache-sharing":
      work = CacheSharing(seconds: value("--seconds", 60)).run
    case "server", "server-member":
      ServerAllocator.adopt()
      let soak = ServerSoak(
        seconds: value("--seconds", 600), seed: value("--seed", 1), burst: value("--burst", 10_000),
        canary: .milliseconds(value("--canary", 1_000)), isJSON: flags.contains("--json"),
        isSandboxed: flags.contains("--sandbox"), group: group)
      let member = words + flags.filter { $0 == "--json" || $0 == "--sandbox" }
      if flags.contains("--control-group") {
        work = { try SoakGroup.run(member) }
      } else {
        work = soak.run
      }
    case "origin":
      // The children of `server`.
      work = SoakOrigin.run
    case "serve":
      // The child of `faults`.
      work = FaultServer.run
    default: usage("unknown command \(command)")
    }
    if let unknown = values.keys.first { usage("unknown option \(unknown)") }
    do {
      if try await !work() { exit(1) }
    } catch let skipped as Skipped {
      usage(skipped.reason)
    }
  }

  /// The children of the commands about caches.
  ///
  /// - Returns: Whether it was one.
  private static func runCacheChild(_ command: String, _ arguments: [String]) async throws -> Bool {
    guard arguments.count == 3, let first = Int(arguments[1]), let second = Int(arguments[2]) else {
      return false
    }
    switch command {
    case "cache-script": try await CacheScriptChild.run(arguments[0], byteLimit: first, first: second)
    case "cache-hammer":
      if await !CacheSharing.hammer(arguments[0], seconds: first, seed: second) { exit(1) }
    default: return false
    }
    return true
  }

  private static func usage(_ problem: String) -> Never {
    let text = """
      calotype-soak: \(problem)
      usage: calotype-soak http2 [--runs N] [--transfers N]
             calotype-soak faults [--downloads N] [--seed N]
             calotype-soak exits [--runs N] [--seed N]
             calotype-soak cache-kills [--kills N] [--seed N]
             calotype-soak cache-sharing [--seconds N]
             calotype-soak server [--seconds N] [--seed N] [--burst N] [--canary MS] [--json] [--control-group] [--sandbox]

      """
    _ = Array(text.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    exit(2)
  }
}
