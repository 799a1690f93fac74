import CalotypeLoading
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials

/// A body that does what a test says, and counts what is asked of it.
final class ScriptedBody: LoadBody.Producing {
  /// What one call of ``next()`` does before the body goes on to the next step.
  enum Step: Sendable {
    case bytes(Data)
    /// Tells the test that it was asked, and waits as a slow server does.
    case wait(asked: Gate, open: Gate)
    case fail(any Error)
  }

  private struct State {
    var steps: ArraySlice<Step>
    var asked = 0
    var cancelled = 0
  }

  private let state: Lock<State>

  init(_ steps: [Step]) {
    state = Lock(State(steps: steps[...]))
  }

  /// `data`, cut into chunks of `size` bytes.
  convenience init(_ data: Data, size: Int) {
    self.init(data.pieces(of: size).map { .bytes($0) })
  }

  /// Calls of ``next()`` and of ``cancel()``.
  var asked: Int { state.withLock { $0.asked } }
  var cancelled: Int { state.withLock { $0.cancelled } }

  func next() async throws -> Data? {
    state.withLock { $0.asked += 1 }
    while let step = state.withLock({ $0.steps.popFirst() }) {
      switch step {
      case .bytes(let data): return data
      case .wait(let asked, let open):
        asked.open()
        try await open.wait()
      case .fail(let error): throw error
      }
    }
    return nil
  }

  func cancel() {
    state.withLock { $0.cancelled += 1 }
  }
}

extension Data {
  /// Chunks of `size` bytes, the last one shorter if need be; slices of one storage, as decoders of protocols make them.
  func pieces(of size: Int) -> [Data] {
    stride(from: startIndex, to: endIndex, by: size).map { self[$0..<Swift.min($0 + size, endIndex)] }
  }
}

extension LoadBody {
  /// All bytes.
  func collected() async throws -> Data {
    var data = Data()
    for try await chunk in self { data.append(chunk) }
    return data
  }
}

extension LoadResponse {
  /// A response of some URL.
  init(_ producer: any LoadBody.Producing, status: Int? = 200, expectedLength: Int? = nil) {
    self.init(
      url: URL(filePath: "/body"), status: status, expectedLength: expectedLength, body: LoadBody(producer))
  }
}
