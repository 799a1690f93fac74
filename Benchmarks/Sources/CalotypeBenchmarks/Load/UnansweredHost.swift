import BenchmarkHarness
import Calotype
import CalotypeTestKit
import FoundationEssentials

/// Requests of different URLs to a host that does not answer.
enum UnansweredHost {
  /// Bytes that the process grew by, how many requests were made, and how many of them ended with an error at once. Stops
  /// before the machine has no memory left.
  static func run(requests: Int) async -> [Double] {
    let loader = FakeLoader { _ in .hang }
    let pipeline = ImagePipeline(.init(loader: loader, memoryCache: nil, diskCache: nil))
    let refused = LoadCounter()
    let before = LoadFigures.residentBytes
    let room = LoadFigures.availableBytes * 2 / 3
    var made = 0
    while made < requests, LoadFigures.residentBytes - before < room {
      for index in made..<min(requests, made + 1000) {
        Task {
          guard let url = URL(string: "http://host/\(index)") else { return }
          do { _ = try await pipeline.image(for: url) } catch { refused.increment() }
        }
      }
      made = min(requests, made + 1000)
      // Until all of them wait or have been refused: tasks that have not begun are not the pipeline's.
      while await OneImage.statistics(of: pipeline).requests + refused.value < made { await Task.yield() }
    }
    // Until all of them wait somewhere, and nothing more is taken for them.
    var last = 0
    var calm = 0
    while calm < 5 {
      try? await Task.sleep(for: .milliseconds(200))
      let now = LoadFigures.residentBytes
      calm = abs(now - last) < 1 << 20 ? calm + 1 : 0
      last = now
    }
    return [Double(last - before), Double(made), Double(refused.value)]
  }
}
