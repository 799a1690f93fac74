import Calotype
import CalotypeImaging
import CalotypeSupport

/// A wait for one frame. It ends once, by ``end(_:)`` or by the cancellation of its task.
final class FrameWaiter: Sendable {
  enum Outcome: Sendable {
    case image(Image)
    case failed(any Error)
    /// Another frame is wanted meanwhile.
    case interrupted
  }

  private let waiter = Waiter<Outcome>()

  /// Ends the wait. The first outcome counts.
  func end(_ outcome: Outcome) { waiter.resolve(outcome) }

  /// Waits for the frame. Call it once: the image is delivered and not kept, because a pool that holds the
  /// waiter for longer does not count the bytes of its image.
  ///
  /// - Returns: The frame; `nil` when another one is wanted meanwhile.
  /// - Throws: The error of the decode; `CancellationError` when the task is cancelled.
  func image() async throws -> Image? {
    switch await waiter.value(onCancel: .failed(CancellationError())) {
    case .image(let image): return image
    case .failed(let error): throw error
    case .interrupted: return nil
    }
  }
}
