import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials

import PipelineSamples

@testable import Calotype

extension SlotStage {
  struct Refused: Error {}

  /// Serves pictures whose shade is the last part of their address, each after a while; some fail, some come in two
  /// pieces.
  func serve(shades: Int) throws -> FakeLoader {
    let pictures = try (0..<shades).map { try Samples.png(shade: UInt8($0)) }
    let clock = clock
    return FakeLoader { request in
      guard let url = request.source.url, let shade = Int(url.lastPathComponent) else {
        throw Refused()
      }
      var random = SeededGenerator(seed: url.path.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
      let latency = Int.random(in: 0..<20, using: &random)
      if latency > 0 { try await clock.sleep(for: .milliseconds(latency)) }
      if shade % 13 == 12 { throw Refused() }
      return .body(pictures[shade], chunk: shade % 3 == 0 ? 40 : nil)
    }
  }

  /// Lets time pass while somebody works.
  func whileTimePasses<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let clock = clock
    let time = Task {
      while !Task.isCancelled {
        clock.advance(by: .milliseconds(1))
        await Task.yield()
      }
    }
    defer { time.cancel() }
    return try await body()
  }
}

extension RecordingIndicator {
  /// Whether it was told start, progress, stop, and again.
  var isWellFormed: Bool {
    get async {
      // The last call may still be made by a thread that was about to.
      while calls.last != "stop" { await Task.yield() }
      var isOn = false
      for call in calls {
        switch call {
        case "start" where !isOn: isOn = true
        case "stop" where isOn: isOn = false
        case "progress" where isOn, "finished" where isOn: continue
        default: return false
        }
      }
      return !isOn
    }
  }
}
