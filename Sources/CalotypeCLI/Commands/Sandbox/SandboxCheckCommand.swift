import ArgumentParser
import Calotype
import CalotypeSupport
import CalotypeTerminal
import FoundationEssentials

struct SandboxCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Starts a process for decoding, and prints the protections that are in force in it.",
    discussion: """
      seccomp refuses all system calls but those for memory and one connection, and is required. Landlock denies files and \
      ports once more; kernels before 5.13 lack it. Exit status 1 if there is no sandbox.
      """)

  @Flag(help: "One JSON object.")
  var json = false

  private struct Report: Encodable {
    let available: Bool
    let reason: String?
    let seccomp: Bool
    let landlock: Int
    let memoryLimit: Bool
    let startMilliseconds: Double?
  }

  func run() async throws {
    let workers = WorkerExecutor(name: "calotype-check", threads: 1)
    let check = try await workers.run { SandboxCheck() }
    let posture = check.posture
    if json {
      Output.json(
        Report(
          available: posture != nil, reason: check.reason, seccomp: posture?.hasSeccomp ?? false,
          landlock: posture?.landlockABI ?? 0, memoryLimit: posture?.hasMemoryLimit ?? false,
          startMilliseconds: check.startTime.map { $0 / .milliseconds(1) }))
    } else if let posture {
      Output.line("Images can be decoded in a sandbox.")
      Output.line(
        "  system calls (seccomp): \(posture.hasSeccomp ? "only those for memory and the connection" : "all")"
      )
      Output.line(
        "  files and ports (Landlock): "
          + (posture.landlockABI > 0
            ? "denied, interface \(posture.landlockABI)" : "not denied: this kernel cannot"))
      Output.line("  memory: \(posture.hasMemoryLimit ? "limited" : "not limited: /proc is not there")")
      if let time = check.startTime {
        Output.line("  start with all libraries: \(Int((time / .milliseconds(1)).rounded())) ms")
      }
    } else {
      Output.line("Images cannot be decoded in a sandbox: \(check.reason ?? "for an unknown reason").")
    }
    if posture == nil { throw ExitCode(1) }
  }
}
