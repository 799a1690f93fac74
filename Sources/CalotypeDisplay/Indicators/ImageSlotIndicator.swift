import Calotype

/// Something that shows that a slot is waiting: a spinner, a bar, a light.
///
/// For each load that has to be waited for: ``start()``, ``progress(_:)`` any number of times, ``stop()``, in this order; never
/// two calls at once, on whichever thread brought the news. A load that succeeds ends with the progress that is finished.
/// Only the newest progress is told, and a load that is over before its turn is left out. Nothing is told of an image
/// that was in memory. An indicator must not block; it may use the slot.
public protocol ImageSlotIndicator: Sendable {
  /// A load has begun.
  func start()
  /// It has come further.
  func progress(_ progress: SlotState.Progress)
  /// It has ended, however.
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
