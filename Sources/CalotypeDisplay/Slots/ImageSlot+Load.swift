public import Calotype

extension ImageSlot {
  /// A load of a slot. It need not be kept: the load belongs to the slot.
  public struct Load: Sendable {
    let load: SlotLoad
    let core: SlotDriver

    /// The image. All callers get the same ending.
    ///
    /// - Throws: as `ImagePipeline.image(for:)`; `CancellationError` when the load was
    ///   cancelled or replaced by another, or the waiting task is cancelled, which ends only the wait.
    public var value: ImageResponse {
      get async throws { try await load.value() }
    }

    /// Cancels the load, unless it has ended or was replaced.
    public func cancel() { core.cancel(load) }
  }
}
