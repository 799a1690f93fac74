@testable import CalotypeDisplay
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

@testable import Calotype

/// What the tests of slots share: a pipeline over a fake loader, time that stands still, and pictures that tell themselves apart.
struct SlotStage {
  let loader = FakeLoader()
  let clock = TestClock()
  let pipeline: ImagePipeline

  init(disk: DiskCache? = nil, memory: Bool = true) {
    var configuration = ImagePipeline.Configuration(
      loader: loader, memoryCache: memory ? MemoryCache(byteLimit: 64 << 20) : nil, diskCache: disk)
    configuration.clock = clock
    pipeline = ImagePipeline(configuration)
  }

  static func url(_ name: String) -> URL {
    URL(string: "https://slots.example/\(name)") ?? URL(filePath: "/")
  }

  /// A request whose image has this shade, as soon as the gate is open.
  func request(_ name: String, shade: UInt8, behind gate: Gate? = nil) throws -> ImageRequest {
    let url = Self.url(name)
    let reply = FakeReply.body(try Samples.png(shade: shade))
    loader.route(url, gate.map { reply.behind($0) } ?? reply)
    return ImageRequest(url: url)
  }

  /// The same, with its image in memory.
  func cached(_ name: String, shade: UInt8) async throws -> ImageRequest {
    let request = try request(name, shade: shade)
    _ = try await pipeline.image(for: request)
    return request
  }

  /// A request that never ends by itself.
  func hanging(_ name: String) -> ImageRequest {
    loader.route(Self.url(name), .hang)
    return ImageRequest(url: Self.url(name))
  }

  /// A request that fails.
  func failing(_ name: String) -> ImageRequest {
    loader.route(Self.url(name), .status(404))
    return ImageRequest(url: Self.url(name))
  }

  static func picture(_ shade: UInt8) throws -> Image {
    try CoderRegistry.standard.decode(Samples.png(shade: shade))
  }

  /// Nothing is left of any load.
  func expectNothingLeft() async throws {
    await pipeline.settle()
    #expect(pipeline.jobs.isEmpty)
    try await loader.waitUntilIdle()
    try await eventually { clock.sleeperCount == 0 }
  }
}

extension Image {
  /// Of a picture of one shade.
  var shade: UInt8 { bitmap.withUnsafeBytes { $0[0] } }
}

extension ImageSlot.Content {
  /// What it is, and of which shade.
  var text: String {
    switch self {
    case .nothing: "nothing"
    case .placeholder(let image): "placeholder \(image.shade)"
    case .preview(let image): "preview \(image.shade)"
    case .stale(let response): "stale \(response.image.shade)"
    case .image(let response): "image \(response.image.shade)"
    case .given(let image): "given \(image.shade)"
    }
  }
}

extension ImageSlot {
  struct HasGone: Error {}

  /// The first state like this.
  @discardableResult
  func first(_ isWanted: @Sendable (State) -> Bool) async throws -> State {
    for await state in states where isWanted(state) { return state }
    throw HasGone()
  }

  var shown: String { state.content.text }
}

/// Writes down what it is told.
final class RecordingIndicator: ImageSlotIndicator {
  private let entries = Lock<[String]>([])

  var calls: [String] { entries.withLock { $0 } }

  func start() { entries.withLock { $0.append("start") } }
  func stop() { entries.withLock { $0.append("stop") } }
  func progress(_ progress: ImageSlot.Progress) {
    entries.withLock { $0.append(progress.isFinished ? "finished" : "progress") }
  }
}
