import BenchmarkHarness
import Calotype
import CalotypeTestKit
import FoundationEssentials

/// Many callers of one image that is being loaded.
enum OneImage {
  /// CPU milliseconds of all callers together, from the first call to the last answer.
  static func run(callers: Int) async throws -> [Double] {
    let gate = Gate()
    let loader = FakeLoader()
    guard let url = URL(string: "http://host/image") else { return [] }
    loader.route(url, FakeReply.body(try SampleImages.still()).behind(gate))
    let pipeline = ImagePipeline(.init(loader: loader, memoryCache: nil, diskCache: nil))
    let started = LoadCounter()
    let start = LoadFigures.cpuMilliseconds
    // Not in a group: its list of children takes longer with each.
    let tasks = (0..<callers).map { _ in
      Task {
        started.increment()
        _ = try await pipeline.image(for: url)
      }
    }
    while started.value < callers { try await Task.sleep(for: .milliseconds(1)) }
    // Answered behind those who wait to join.
    _ = await Self.statistics(of: pipeline)
    gate.open()
    for task in tasks { try await task.value }
    return [LoadFigures.cpuMilliseconds - start]
  }

  /// CPU milliseconds of as many tasks that wait for nothing but a gate.
  static func runWaiting(tasks count: Int) async throws -> [Double] {
    let (gate, started) = (Gate(), LoadCounter())
    let start = LoadFigures.cpuMilliseconds
    let tasks = (0..<count).map { _ in
      Task {
        started.increment()
        try await gate.wait()
      }
    }
    while started.value < count { try await Task.sleep(for: .milliseconds(1)) }
    gate.open()
    for task in tasks { try await task.value }
    return [LoadFigures.cpuMilliseconds - start]
  }

  /// The statistics, with a hop to the pipeline.
  static func statistics(of pipeline: isolated ImagePipeline) -> ImagePipeline.Statistics {
    pipeline.statistics
  }
}
