import CalotypeSupport
import FoundationEssentials

/// A body whose bytes pass through a ``ChunkTransforming``.
///
/// Holds at most one chunk of input and the output of one piece of it.
final class TransformedBody: LoadBody.Producing {
  /// The most bytes to transform in one call, so that the output is bounded and cancellation is noticed.
  static let pieceSize = 64 << 10

  private struct State {
    /// `nil` while it is in use, and after the end, an error or a cancellation.
    var transform: (any ChunkTransforming)?
    /// The rest of the chunk.
    var rest = Data()
    var isInputAtEnd = false
    var isOver = false
    var produced = 0
  }

  private let input: LoadBody.Claim?
  private let url: URL
  private let identity: String
  private let byteLimit: Int
  private let executor: WorkerExecutor
  private let state: Lock<State>

  /// - Parameters:
  ///   - input: The body to transform, which is taken over.
  ///   - url: The URL of the body, for errors.
  ///   - identity: ``BodyTransforming/identity``, for errors.
  ///   - byteLimit: The most bytes of output.
  init(
    _ input: LoadBody, transform: any ChunkTransforming, url: URL, identity: String, byteLimit: Int,
    executor: WorkerExecutor = ByteWork.executor
  ) {
    self.input = input.claim()
    self.url = url
    self.identity = identity
    self.byteLimit = byteLimit
    self.executor = executor
    state = Lock(State(transform: transform))
  }

  func next() async throws -> Data? {
    do {
      while true {
        try Task.checkCancellation()
        let (isOver, isHungry) = state.withLock { ($0.isOver, $0.rest.isEmpty && !$0.isInputAtEnd) }
        if isOver { return nil }
        if isHungry { try await fetch() }
        let output = try await executor.run { try self.work() }
        if !output.isEmpty { return output }
      }
    } catch {
      cancel()
      throw error
    }
  }

  /// The metrics of the transformed body.
  var metrics: LoadResponse.Metrics? { input?.metrics }

  func cancel() {
    // Released outside the lock: the release of a transform may run arbitrary code.
    let transform = state.withLock { state -> (any ChunkTransforming)? in
      defer {
        state.isOver = true
        state.transform = nil
        state.rest = Data()
      }
      return state.transform
    }
    _ = transform
    input?.cancel()
  }

  private func fetch() async throws {
    guard let input else { throw LoadingError.bodyAlreadyConsumed }
    let chunk = try await input.next()
    state.withLock { state in
      guard !state.isOver else { return }
      if let chunk { state.rest = chunk } else { state.isInputAtEnd = true }
    }
  }

  /// Transforms piece by piece until there is output or no input is left.
  private func work() throws -> Data {
    while var work = take() {
      try Task.checkCancellation()
      let output: Data
      do {
        if let piece = work.piece {
          output = try work.transform.transform(piece)
          giveBack(work.transform)
        } else {
          output = try work.transform.finish()
        }
      } catch let error where !(error is LoadingError || error is CancellationError) {
        throw LoadingError.bodyTransformFailed(url, transform: identity, reason: "\(error)")
      }
      let isTooLarge = state.withLock { state in
        guard output.count <= byteLimit - state.produced else { return true }
        state.produced += output.count
        return false
      }
      if isTooLarge { throw LoadingError.tooLarge(.url(url), limit: byteLimit, declared: nil) }
      if !output.isEmpty { return output }
    }
    return Data()
  }

  /// Takes the next piece of the input (`nil` at its end) and the transform. The transform is moved out, because a
  /// second copy would make it copy its buffers.
  private func take() -> (piece: Data?, transform: any ChunkTransforming)? {
    state.withLock { state -> (piece: Data?, transform: any ChunkTransforming)? in
      if state.rest.isEmpty && !state.isInputAtEnd { return nil }
      guard let transform = state.transform else { return nil }
      state.transform = nil
      guard !state.rest.isEmpty else {
        state.isOver = true
        return (nil, transform)
      }
      let chunk = state.rest
      let end = min(chunk.startIndex + Self.pieceSize, chunk.endIndex)
      state.rest = chunk[end...]
      let isWhole = chunk.startIndex == 0 && end == chunk.endIndex
      return (isWhole ? chunk : chunk.subdata(in: chunk.startIndex..<end), transform)
    }
  }

  private func giveBack(_ transform: any ChunkTransforming) {
    state.withLock { state in
      if !state.isOver { state.transform = transform }
    }
  }
}
