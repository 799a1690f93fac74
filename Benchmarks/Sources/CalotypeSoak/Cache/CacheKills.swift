import BenchmarkHarness
import CalotypeCaching
import FoundationEssentials
import Glibc

/// Processes that are killed at a system call, by `strace`: at any call of any kind that they make to a cache. After
/// each the folder must have all that was confirmed, no more bytes than are allowed, and books that are right.
struct CacheKills {
  let kills: Int
  let seed: Int

  private static let calls = [
    "openat", "write", "pwrite64", "close", "rename", "unlink", "ftruncate", "flock", "utimensat", "mkdir",
    "fstat",
    "newfstatat", "pread64", "fcntl", "getdents64",
  ]

  /// A folder, what is in it, and how many bytes it may have.
  private struct Place {
    let folder: CacheFolder
    let byteLimit: Int
    var expectation = CacheScriptChild.Expectation()
  }

  private struct Figures {
    var killed: [String: Int] = [:]
    var runs = 0
    var rebuilds = 0
    var found = 0
    var problems: [String] = []
  }

  /// Returns whether all went well.
  func run() async throws -> Bool {
    let installed: [String] = ["/usr/bin/strace", "/usr/local/bin/strace"]
    let strace = installed.first { path in
      access(path, X_OK) == 0
    }
    guard let strace else { throw Skipped(reason: "strace is not installed") }
    setenv("SWIFT_BACKTRACE", "enable=no", 1)
    let ranges = try Self.ranges(strace)
    var random = SplitMix(seed: seed)
    var figures = Figures()
    var places: [Place] = []
    var number = 1
    while figures.killed.values.reduce(0, +) < kills {
      if figures.runs % 50 == 0 {
        // One that evicts all the time, and one where nothing may be missing.
        places = [
          Place(folder: try CacheFolder(), byteLimit: 60_000),
          Place(folder: try CacheFolder(), byteLimit: 10_000_000),
        ]
      }
      let call = ranges[figures.runs % ranges.count]
      let when = Int.random(in: call.range, using: &random)
      let which = Int.random(in: 0...1, using: &random)
      let isKilled = try Self.runChild(
        [
          strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(call.name)", "-e",
          "inject=\(call.name):signal=KILL:when=\(when)",
        ], first: number, &places[which])
      if isKilled { figures.killed[call.name, default: 0] += 1 }
      number += 1000
      figures.runs += 1
      do {
        try await Self.check(&places[which], &figures)
      } catch {
        figures.problems.append("killed at \(call.name) \(when): \(error)")
        if figures.problems.count >= 10 { break }
        places[which] = Place(folder: try CacheFolder(), byteLimit: places[which].byteLimit)
      }
    }
    for problem in figures.problems { print(problem) }
    let killed = figures.killed.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(
      separator: ", ")
    print(
      "cache-kills: \(figures.killed.values.reduce(0, +)) of \(figures.runs) processes killed (\(killed)), seed \(seed);"
        + " \(figures.found) records read, \(figures.rebuilds) folders listed, \(figures.problems.count) problems"
    )
    return figures.problems.isEmpty
  }

  /// For each call how often the thread that writes makes it, without those numbers at which the program would be killed
  /// while it starts.
  private static func ranges(_ strace: String) throws -> [(name: String, range: ClosedRange<Int>)] {
    let folder = try CacheFolder()
    let trace = "\(folder.path)/trace"
    var place = Place(folder: folder, byteLimit: 60_000)
    let command = [strace, "-f", "-qq", "-o", trace, "-e", "trace=\(calls.joined(separator: ","))"]
    _ = try runChild(command, first: 1, &place)
    let lines = try String(contentsOf: URL(filePath: trace), encoding: .utf8).split(separator: "\n").map {
      $0.split(maxSplits: 1) { $0 == " " }
    }
    // Each line is a thread and a call.
    let writer = lines.first { $0.last?.drop { $0 == " " }.hasPrefix("rename(") == true }?.first
    guard let writer, let main = lines.first?.first else {
      throw Skipped(reason: "strace shows nothing: may it trace here?")
    }
    var atStart: [Substring: Int] = [:]
    var ofWriter: [Substring: Int] = [:]
    var isStarted = false
    for line in lines where line.count == 2 {
      isStarted = isStarted || line[0] == writer
      let name = line[1].drop { $0 == " " }.prefix { $0 != "(" }
      if line[0] == writer { ofWriter[name, default: 0] += 1 }
      if line[0] == main, !isStarted { atStart[name, default: 0] += 1 }
    }
    return calls.compactMap { name in
      let (start, last) = (atStart[name[...], default: 0] + 1, ofWriter[name[...], default: 0])
      return start <= last ? (name, start...last) : nil
    }
  }

  /// - Returns: Whether it was killed.
  private static func runChild(_ strace: [String], first: Int, _ place: inout Place) throws -> Bool {
    let child = try SoakChild(
      strace + [SoakChild.own, "cache-script", place.folder.path, "\(place.byteLimit)", "\(first)"])
    place.expectation.follow(child.lines())
    let status = child.wait()
    // strace ends as what it traces does.
    if status & 0x7F == SIGKILL || status >> 8 == 128 + SIGKILL { return true }
    guard status == 0 else { throw WrongRecord(description: "a child ended with \(status)") }
    return false
  }

  private static func check(_ place: inout Place, _ figures: inout Figures) async throws {
    func demand(_ condition: Bool, _ message: @autoclosure () -> String) throws {
      if !condition { throw WrongRecord(description: message()) }
    }
    let left = CacheContent.walk(place.folder.path)
    try demand(left.bytes + left.unfinished <= place.byteLimit, "\(left) are more than \(place.byteLimit)")
    let cache = DiskCache(CacheScriptChild.configuration(place.folder.url, byteLimit: place.byteLimit))
    let first = try await cache.statistics()
    try demand(first.bytes >= left.bytes && first.count >= left.count, "\(left), and the books say \(first)")
    for index in 0..<CacheScriptChild.keys {
      let record = try await cache.read(CacheContent.key(index))
      let number = try CacheContent.number(of: record, index, limit: CacheScriptChild.recordLimit)
      let evicts = place.byteLimit < 1_000_000
      let isEvicted = evicts && number == nil && index != place.expectation.newest
      try demand(
        isEvicted || place.expectation.possible[index].contains(number),
        "key \(index) is \(number as Any) and not one of \(place.expectation.possible[index])")
      place.expectation.settle(index, number)
      if number != nil { figures.found += 1 }
    }
    let trimmed = try await cache.trim()
    try demand(
      trimmed.bytes == left.bytes && trimmed.count == left.count, "\(left), and after a trim \(trimmed)")
    let last = try await cache.statistics()
    try demand(last.failures == 0 && last.damaged == 0, "\(last)")
    try demand(CacheContent.walk(place.folder.path).unfinished == 0, "tmp/new is left")
    figures.rebuilds += first.rebuilds
  }
}
