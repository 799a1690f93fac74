import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeLoading

@Suite("Large data URLs", .timeLimit(.minutes(1)))
struct LargeDataURLTests {
  private func url(_ data: Data) throws -> URL {
    try #require(URL(string: "data:image/png;base64," + data.base64EncodedString()))
  }

  /// Keeps the one thread of an executor busy until `goOn` is open.
  private func occupy(_ executor: WorkerExecutor, until goOn: Gate) async throws -> Task<Void, any Error> {
    let begun = Gate()
    let task = Task {
      try await executor.run {
        begun.open()
        goOn.waitBlocking()
      }
    }
    try await begun.wait()
    return task
  }

  @Test func decodedOnThreadsOfTheirOwn() async throws {
    let executor = WorkerExecutor(name: "test", threads: 1)
    let loader = DataURLLoader(executor: executor)
    let goOn = Gate()
    let blocker = try await occupy(executor, until: goOn)
    let data = pattern(100_000)
    let large = LoadRequest(url: try url(data))
    let task = Task { try await loader.data(for: large).0 }
    try await eventually { executor.queueDepth > 0 }
    // Short ones need no thread, and do not wait behind it.
    let small = pattern(1_000)
    #expect(try await loader.data(for: LoadRequest(url: url(small))).0 == small)
    goOn.open()
    #expect(try await task.value == data)
    try await blocker.value
  }

  @Test func cancelledWhileItWaitsForAThread() async throws {
    let executor = WorkerExecutor(name: "test", threads: 1)
    let loader = DataURLLoader(executor: executor)
    let goOn = Gate()
    let blocker = try await occupy(executor, until: goOn)
    let large = LoadRequest(url: try url(pattern(100_000)))
    let task = Task { try await loader.data(for: large).0 }
    try await eventually { executor.queueDepth > 0 }
    task.cancel()
    goOn.open()
    #expect(await wasCancelled(task))
    try await blocker.value
  }

  /// The parser looks itself: one that was cancelled while it runs does not go on to the end.
  @Test func cancelledWhileItDecodes() async throws {
    let texts = [
      try url(pattern(200_000)).absoluteString, "data:," + String(repeating: "%41", count: 100_000),
    ]
    for text in texts {
      let task = Task { () -> DataURL.Failure? in
        withUnsafeCurrentTask { $0?.cancel() }
        do throws(DataURL.Failure) {
          _ = try DataURL(text, byteLimit: 1 << 20)
          return nil
        } catch {
          return error
        }
      }
      #expect(await task.value == .cancelled)
    }
  }

  @Test func cancelledBefore() async throws {
    let gate = Gate()
    for count in [10, 100_000] {
      let request = LoadRequest(url: try url(pattern(count)))
      let task = Task {
        try? await gate.wait()
        return try await DataURLLoader().load(request).expectedLength
      }
      task.cancel()
      #expect(await wasCancelled(task))
    }
  }

  @Test func errorsFromTheThread() async throws {
    let text = "data:image/png;base64," + String(repeating: "AQID", count: 50_000)
    let url = try #require(URL(string: text))
    let error = await loadingError {
      _ = try await DataURLLoader().load(LoadRequest(url: url, byteLimit: 149_999))
    }
    #expect(error == .tooLarge(.url(url), limit: 149_999, declared: 150_000))
    let broken = try #require(URL(string: text + "A"))
    #expect(
      await loadingError { _ = try await DataURLLoader().load(LoadRequest(url: broken)) }
        == .invalidDataURL(broken, reason: "its base64 has a dangling character"))
  }

  /// Blocks end within groups of base64 and within escapes, wherever those happen to be.
  @Test(arguments: [0, 1, 2, 3])
  func seamsOfBlocks(offset: Int) throws {
    let data = pattern(150_000 + offset)
    let escaped = data.base64EncodedString().utf8.enumerated().map { index, character in
      index % 5 == offset ? "%" + String(character, radix: 16) : String(UnicodeScalar(character))
    }
    #expect(try DataURL("data:;base64," + escaped.joined(), byteLimit: data.count).data == data)
    let spaces = data.base64EncodedString().replacing("A", with: "A ")
    #expect(try DataURL("data:;base64," + spaces, byteLimit: data.count).data == data)
    let plain = String(repeating: "x", count: offset) + String(repeating: "%41", count: 70_000)
    #expect(try DataURL("data:," + plain, byteLimit: 80_000).data.count == 70_000 + offset)
  }
}
