import Calotype
import CalotypeImaging
import CalotypeSupport

/// One who waits for a frame. It is told once, or leaves when its task is cancelled.
final class FrameWaiter: Sendable {
  /// What became of it.
  enum Outcome: Sendable {
    case image(Image)
    case failed(any Error)
    /// Something else is wanted by now.
    case interrupted
  }

  private struct State {
    var outcome: Outcome?
    var continuation: CheckedContinuation<Void, Never>?
  }

  private let state = Lock(State())

  /// Ends the wait, if nothing has before.
  func end(_ outcome: Outcome) {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.outcome == nil else { return nil }
      state.outcome = outcome
      return state.continuation.take()
    }
    waiter?.resume()
  }

  /// The frame, once it is there; `nil` if something else is wanted by now. To be asked for once.
  ///
  /// - Throws: why there is none; `CancellationError` when the task is cancelled.
  func image() async throws -> Image? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state -> Bool in
          guard state.outcome == nil else { return true }
          state.continuation = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      end(.failed(CancellationError()))
    }
    // Handed over, not kept: who ends the wait later may hold it for long, and nobody counts an image in there.
    let outcome = state.withLock { state -> Outcome? in
      defer { state.outcome = .interrupted }
      return state.outcome
    }
    switch outcome {
    case .image(let image): return image
    case .failed(let error): throw error
    case .interrupted, nil: return nil
    }
  }
}
