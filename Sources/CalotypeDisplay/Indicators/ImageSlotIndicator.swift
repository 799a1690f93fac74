import Calotype

/// An indicator that a slot is loading: a spinner, a bar, a light.
///
/// Each load that does not end at once calls ``start()``, ``progress(_:)`` any number of times, and ``stop()``, in this order.
/// Calls never overlap; they come on any thread. The last progress of a load that succeeds is finished. Only the newest
/// progress is reported, a load that ends before its turn is left out, and so is an image from memory. An indicator must
/// not block; it may use the slot.
public protocol ImageSlotIndicator: Sendable {
  /// A load has begun.
  func start()
  /// The load has made progress.
  func progress(_ progress: SlotState.Progress)
  /// The load has ended, in any way.
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
