import Calotype

/// An indicator that a slot is loading: a spinner, a bar, a light.
///
/// Each load that does not end at once calls ``start()``, ``progress(_:)`` any number of times, and
/// ``stop()``, in this order. Calls never overlap; they come from any thread. The last progress of a
/// successful load is finished. Only the newest progress is reported; a load that ends before its turn is
/// skipped, and so is an image from memory. An indicator must not block; it may use the slot.
public protocol ImageSlotIndicator: Sendable {
  /// Reports that a load has begun.
  func start()
  /// Reports the progress of the load.
  func progress(_ progress: SlotState.Progress)
  /// Reports that the load has ended, with any outcome.
  func stop()
}

extension ImageSlotIndicator {
  /// Does nothing.
  public func start() {}
  /// Does nothing.
  public func progress(_ progress: SlotState.Progress) {}
  /// Does nothing.
  public func stop() {}
}
