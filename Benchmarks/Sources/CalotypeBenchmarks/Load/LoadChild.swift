import BenchmarkHarness
import Dispatch
import Glibc

/// The processes in which the benchmarks under load run, each in one of its own: threads, memory and whatever a pipeline
/// does not get done in time are over with it.
enum LoadChild {
  /// The figures of one run of a case, in the order in which it returns them.
  ///
  /// - Throws: ``ChildProcessError``.
  static func figures(_ name: String, _ arguments: String...) throws -> [Double] {
    let line = try ChildProcess("/proc/self/exe", arguments: ["--load-once", name] + arguments).read()
    let figures = line.split(separator: " ").compactMap { Double($0) }
    guard !figures.isEmpty else { throw ChildProcessError(description: "load case \(name): \(line)") }
    return figures
  }

  /// What a child does: carries out a case and prints its figures. Ends the process: a case may leave work behind that
  /// never ends.
  static func run(_ name: String, _ arguments: [String]) -> Never {
    func number(_ index: Int) -> Int { arguments.indices.contains(index) ? Int(arguments[index]) ?? 0 : 0 }
    let file = arguments.first ?? ""
    let done = DispatchSemaphore(value: 0)
    Task {
      do {
        let figures: [Double] =
          switch name {
          case "small": try await SmallImages.run(callers: number(0), count: number(1))
          case "one-image": try await OneImage.run(callers: number(0))
          case "waiting-tasks": try await OneImage.runWaiting(tasks: number(0))
          case "unanswered": await UnansweredHost.run(requests: number(0))
          case "originals": try await LargeOriginals.run(file)
          case "uploads": try await LargeOriginals.runUploads(file)
          case "slow-host": try await SlowHost.run()
          case "heavy": try await HeavyJobs.run(file, jobs: number(1))
          case "locked": try await LockedFolder.run(seconds: number(0), isLocked: number(1) == 1)
          case "dripping": try await DrippingBodies.run(file, bodies: number(1))
          case "hedged": try await HedgedLoads.run(loads: number(0), isHedged: number(1) == 1)
          case "stalling": try HedgedLoads.serve()
          case "serve": try await LargeOriginals.serve(file)
          case "hold-lock": try LockedFolder.hold(file)
          default: []
          }
        print(figures.map { "\($0)" }.joined(separator: " "))
      } catch {
        print("failed: \(error)")
      }
      fflush(nil)
      done.signal()
    }
    done.wait()
    exit(0)
  }
}
