import FoundationEssentials
import Glibc

/// How much more memory a piece of work has at its peak than before it.
///
/// Only a process that does nothing else can tell, so the work runs in a child: this program, started again.
///
/// ```swift
/// // In the child, told apart by an argument:
/// print(try PeakMemory.measure { try decode(file).byteCount })
/// // In the parent:
/// let memory = try PeakMemory(arguments: ["--decode-once", file])
/// ```
public struct PeakMemory: Hashable, Sendable, LosslessStringConvertible {
  /// Bytes that the process grew by at its peak.
  public let growth: Int
  /// Bytes of what the work delivers.
  public let output: Int

  /// Growth besides the output, in MiB.
  public var overhead: Double { Double(growth - output) / 1_048_576 }

  /// Runs work that returns the bytes of its output. Whatever it works on is counted before if it has been read.
  public static func measure<Failure: Error>(_ work: () throws(Failure) -> Int) throws(Failure) -> PeakMemory
  {
    let before = begin()
    let output = try work()
    return end(before, output)
  }

  /// The same for work that suspends.
  public static func measure<Failure: Error>(
    _ work: () async throws(Failure) -> Int
  ) async throws(Failure) -> PeakMemory {
    let before = begin()
    let output = try await work()
    return end(before, output)
  }

  /// Makes the peak what is resident now, and returns that.
  private static func begin() -> Int {
    reset()
    return field("VmRSS")
  }

  /// Makes the peak of this process what is resident now.
  static func reset() {
    guard let file = fopen("/proc/self/clear_refs", "w") else { return }
    fputs("5", file)
    fclose(file)
  }

  private static func end(_ before: Int, _ output: Int) -> PeakMemory {
    PeakMemory(growth: field("VmHWM") - before, output: output)
  }

  /// What a child prints: this program with other arguments, or another program.
  ///
  /// - Throws: ``ChildProcessError``.
  public init(of program: String = "/proc/self/exe", arguments: [String]) throws {
    let line = try ChildProcess(program, arguments: arguments).read()
    guard let memory = PeakMemory(line) else { throw ChildProcessError(description: line) }
    self = memory
  }

  private init(growth: Int, output: Int) {
    self.growth = growth
    self.output = output
  }

  /// Reads what ``description`` writes.
  public init?(_ description: String) {
    let numbers = description.split(separator: " ").compactMap { Int($0) }
    guard numbers.count == 2 else { return nil }
    self.init(growth: numbers[0], output: numbers[1])
  }

  /// Both numbers.
  public var description: String { "\(growth) \(output)" }

  /// Bytes, by their name in `/proc/self/status`.
  private static func field(_ name: String) -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    while getline(&line, &capacity, file) > 0, let text = line.map({ String(cString: $0) }) {
      guard text.hasPrefix(name + ":") else { continue }
      return (text.split(whereSeparator: { " \t\n".contains($0) }).dropFirst().first.flatMap { Int($0) } ?? 0)
        * 1024
    }
    return 0
  }
}
