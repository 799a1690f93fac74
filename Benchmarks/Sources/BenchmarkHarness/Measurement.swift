import Glibc

/// CPU time of a piece of work, and how it compares with a limit measured in the same run.
///
/// Other programs on the machine change absolute times by tens of percent, but two pieces of work that take turns
/// suffer alike. So only the ratio is a result; the times say which order of magnitude it is about.
///
/// ```swift
/// let result = Measurement.ratio("resize", to: "memory read") { resize() } limit: { read() }
/// ```
public struct Measurement: Hashable, Sendable {
  /// What was measured.
  public let name: String
  /// What it is compared with.
  public let limitName: String
  /// Median CPU time of one run, in milliseconds, of all threads of the process.
  public let milliseconds: Double
  /// The same of the limit.
  public let limitMilliseconds: Double
  /// Median of the ratios of neighbouring runs.
  public let ratio: Double
  /// Half of all ratios lie within this distance around their median: the quartiles, halved.
  public let spread: Double

  /// Bytes that the work produces, where their number matters.
  public var byteCount: Int?
  /// Bytes that the limit produces.
  public var limitByteCount: Int?

  /// Runs both pieces of work in turns, the order swapped each round, after one warm-up of each.
  ///
  /// - Parameters:
  ///   - name: What is measured.
  ///   - limitName: What it is compared with.
  ///   - rounds: Pairs of runs, at least one.
  ///   - subject: The work. One call should take a millisecond or more.
  ///   - limit: The work to compare with.
  public static func ratio<Failure: Error>(
    _ name: String, to limitName: String, rounds: Int = 15, subject: () throws(Failure) -> Void,
    limit: () throws(Failure) -> Void
  ) throws(Failure) -> Measurement {
    try ratio(name, to: limitName, rounds: rounds, subject: subject) { () throws(Failure) in try time(limit) }
  }

  /// The same with work and limit that measure themselves.
  public static func ratioOfTimes<Failure: Error>(
    _ name: String, to limitName: String, rounds: Int = 15,
    subjectMilliseconds: () throws(Failure) -> Double, limitMilliseconds: () throws(Failure) -> Double
  ) throws(Failure) -> Measurement {
    let turns = try turns(rounds: rounds, subject: subjectMilliseconds, limit: limitMilliseconds)
    return Measurement(name: name, limitName: limitName, turns: turns)
  }

  /// The same with a limit that measures itself, such as one in another process.
  ///
  /// - Parameters:
  ///   - name: What is measured.
  ///   - limitName: What it is compared with.
  ///   - rounds: Pairs of runs, at least one.
  ///   - subject: The work. One call should take a millisecond or more.
  ///   - limitMilliseconds: Does the work to compare with, and returns its CPU time.
  public static func ratio<Failure: Error>(
    _ name: String, to limitName: String, rounds: Int = 15, subject: () throws(Failure) -> Void,
    limitMilliseconds: () throws(Failure) -> Double
  ) throws(Failure) -> Measurement {
    try ratioOfTimes(
      name, to: limitName, rounds: rounds, subjectMilliseconds: { () throws(Failure) in try time(subject) },
      limitMilliseconds: limitMilliseconds)
  }

  /// Runs both in turns, the order swapped each round, after one warm-up of each.
  static func turns<Result, Failure: Error>(
    rounds: Int, subject: () throws(Failure) -> Result, limit: () throws(Failure) -> Result
  ) throws(Failure) -> [(subject: Result, limit: Result)] {
    _ = try subject()
    _ = try limit()
    var turns: [(subject: Result, limit: Result)] = []
    for round in 0..<max(1, rounds) {
      if round.isMultiple(of: 2) {
        let first = try subject()
        turns.append((first, try limit()))
      } else {
        let first = try limit()
        turns.append((try subject(), first))
      }
    }
    return turns
  }

  /// CPU milliseconds of one call.
  private static func time<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) -> Double {
    let start = cpuTime()
    try body()
    return cpuTime() - start
  }

  /// CPU milliseconds of this process so far, user and system, all threads.
  public static func cpuTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
  }
}

extension Measurement {
  /// Medians and quartiles of milliseconds that were measured in turns, at least one.
  public init(name: String, limitName: String, turns: [(subject: Double, limit: Double)]) {
    let ratios = turns.map { $0.subject / max($0.limit, 1e-6) }.sorted()
    self.init(
      name: name, limitName: limitName, milliseconds: turns.map(\.subject).sorted()[turns.count / 2],
      limitMilliseconds: turns.map(\.limit).sorted()[turns.count / 2], ratio: ratios[ratios.count / 2],
      spread: (ratios[ratios.count * 3 / 4] - ratios[ratios.count / 4]) / 2)
  }
}
