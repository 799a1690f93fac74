import Calotype
import CalotypeTestKit
import FoundationEssentials
import Testing

/// What came, in which order, and how it ended.
@Suite("Event recorder", .timeLimit(.minutes(5)))
struct EventRecorderTests {
  private struct Failure: Error {}

  @Test("elements in order, and the end")
  func finished() async throws {
    let (stream, source) = AsyncStream.makeStream(of: Int.self)
    let recorder = EventRecorder<Int>()
    async let recording: Void = recorder.record(stream)
    source.yield(1)
    source.yield(2)
    #expect(try await recorder.waitFor(count: 2) == [1, 2])
    #expect(recorder.ending == nil)
    source.yield(3)
    source.finish()
    await recording
    #expect(recorder.elements == [1, 2, 3])
    #expect(recorder.ending?.isFinished == true && recorder.ending?.error == nil)
    #expect(try await recorder.waitForEnding().isFinished)
  }

  @Test("errors and cancellations are endings")
  func otherEndings() async throws {
    for error in [Failure(), CancellationError()] as [any Error] {
      let (stream, source) = AsyncThrowingStream.makeStream(of: Int.self)
      source.yield(1)
      source.finish(throwing: error)
      let recorder = EventRecorder<Int>()
      await recorder.record(stream)
      let ending = try #require(recorder.ending)
      #expect(ending.isCancelled == (error is CancellationError) && !ending.isFinished)
      #expect((ending.error is Failure) == (error is Failure))
    }
  }

  @Test("whoever waits for more than comes is told so")
  func endedEarly() async throws {
    let (stream, source) = AsyncStream.makeStream(of: Int.self)
    let recorder = EventRecorder<Int>()
    async let recording: Void = recorder.record(stream)
    async let waiting = recorder.waitFor(count: 2)
    source.yield(1)
    source.finish()
    do {
      _ = try await waiting
      Issue.record("there were two")
    } catch let error as EventRecorder<Int>.EndedEarly {
      #expect(error.count == 1 && error.wanted == 2 && error.description == "finished after 1 of 2 elements")
    }
    await recording
  }

  @Test("waits can be cancelled; so can the task that records")
  func cancelled() async throws {
    let loader = FakeLoader()
    let url = URL(filePath: "/fake/a")
    loader.route(url, .hang)
    let pipeline = ImagePipeline(.init(loader: loader, memoryCache: nil, diskCache: nil))
    let recorder = EventRecorder<ImageLoad.Event>()
    let recording = Task { await recorder.record(pipeline.load(ImageRequest(url: url)).events) }
    let waiting = Task { try await recorder.waitFor(count: 10_000) }
    try await loader.waitForRequests(url)
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    recording.cancel()
    await recording.value
    #expect(recorder.ending?.isCancelled == true)
    try await loader.waitUntilIdle()
    #expect(loader.cancellations == 1)
  }
}
