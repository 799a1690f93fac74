import CalotypeSupport
import FoundationEssentials

/// Reads a file chunk by chunk, on the loader's threads.
final class FileBody: LoadBody.Producing {
  /// Bytes per read.
  static let chunkSize = 1 << 20

  private struct State {
    var file: OpenFile?
    var offset = 0
  }

  private let url: URL
  private let byteLimit: Int
  private let executor: WorkerExecutor
  private let state: Lock<State>

  init(_ file: OpenFile, url: URL, byteLimit: Int, executor: WorkerExecutor) {
    self.url = url
    self.byteLimit = byteLimit
    self.executor = executor
    state = Lock(State(file: file))
  }

  func next() async throws -> Data? {
    try Task.checkCancellation()
    let (file, offset) = state.withLock { ($0.file, $0.offset) }
    guard let file else { return nil }
    // A file that grows meanwhile is read up to its original size; one without a size up to its end.
    let left = file.declaredSize.map { $0 - offset } ?? Self.chunkSize
    guard left > 0 else { return end() }
    let url = self.url
    let chunk = try await executor.run { try file.read(at: offset, count: min(left, Self.chunkSize), url) }
    if chunk.isEmpty {
      _ = end()
      guard let declared = file.declaredSize else { return nil }
      throw LoadingError.truncatedBody(url, received: offset, expected: declared)
    }
    guard chunk.count <= byteLimit - offset else {
      _ = end()
      throw LoadingError.tooLarge(.url(url), limit: byteLimit, declared: nil)
    }
    state.withLock { $0.offset += chunk.count }
    return chunk
  }

  func cancel() {
    _ = end()
  }

  private func end() -> Data? {
    // Outside the lock: the last reference closes the file.
    let file = state.withLock { state -> OpenFile? in
      defer { state.file = nil }
      return state.file
    }
    _ = file
    return nil
  }
}
