import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

@testable import Calotype

@Suite("Suspension", .timeLimit(.minutes(5)))
struct SuspensionTests {
  @Test("while it is suspended no load and no decode begins, and memory is served; then all goes on")
  func suspension() async throws {
    let folder = try CacheFolder()
    let server = try ScriptedHTTPServer()
    server.route("/a.png", .resource(try Samples.png(shade: 1)))
    server.route("/b.png", .resource(try Samples.png(shade: 2)))
    let pipeline = ImagePipeline.isolated(disk: folder.diskCache())
    let (kept, loaded) = (server.url("/a.png"), server.url("/b.png"))
    _ = try await pipeline.data(for: kept)
    let inMemory = ImageRequest(source: .data(try Samples.png(), id: "a"))
    _ = try await pipeline.image(for: inMemory)
    await pipeline.settle()
    await pipeline.suspend()
    #expect(await pipeline.isSuspended)
    let tasks = [kept, loaded].map { url in Task { try await pipeline.image(for: url) } }
    try await eventually {
      let statistics = pipeline.statistics
      return statistics.waitingLoads == 1 && statistics.waitingDecodes == 1
    }
    #expect(server.requests(for: "/b.png").isEmpty)
    #expect(try await pipeline.image(for: inMemory).width == 8)
    await pipeline.resume()
    for task in tasks { #expect(try await task.value.width == 8) }
    #expect(server.requests(for: "/a.png").count == 1)
    await pipeline.settle()
  }
}
