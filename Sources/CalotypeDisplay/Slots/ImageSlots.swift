public import Calotype
import CalotypeSupport

/// The slots of one element of the screen, each with a key: the image, its highlighted form, the
/// background.
///
/// ```swift
/// let slots = ImageSlots<ButtonState>(pipeline)
/// slots[.normal].load(request)
/// slots[.highlighted].load(brighter)
/// ```
///
/// A slot is created on first access, and kept until it is removed or the set is released. Slots are independent.
public final class ImageSlots<Key: Hashable & Sendable>: Sendable {
  /// The default options of loads.
  public let options: SlotOptions
  private let pipeline: ImagePipeline
  private let clock: (any Clock<Duration>)?
  private let indicator: (@Sendable (Key) -> (any ImageSlotIndicator)?)?
  private let slots = Lock<[Key: ImageSlot]>([:])

  /// Creates an empty set.
  ///
  /// - Parameters:
  ///   - pipeline: The pipeline that loads images.
  ///   - options: The default options of loads.
  ///   - clock: The clock of placeholders that are shown later; that of the pipeline by default.
  ///   - indicator: Makes the indicator of a slot.
  public init(
    _ pipeline: ImagePipeline, options: SlotOptions = SlotOptions(),
    clock: (any Clock<Duration>)? = nil,
    indicator: (@Sendable (Key) -> (any ImageSlotIndicator)?)? = nil
  ) {
    self.pipeline = pipeline
    self.options = options
    self.clock = clock
    self.indicator = indicator
  }

  /// The slot of a key; always the same until it is removed.
  public subscript(key: Key) -> ImageSlot {
    if let slot = slots.withLock({ $0[key] }) { return slot }
    // Not under the lock: `indicator` is code of the program.
    let new = ImageSlot(pipeline, options: options, indicator: indicator?(key), clock: clock)
    return slots.withLock { slots in
      if let slot = slots[key] { return slot }
      slots[key] = new
      return new
    }
  }

  /// The keys that have a slot.
  public var keys: [Key] { slots.withLock { Array($0.keys) } }

  /// The present state of each slot.
  public var states: [Key: SlotState] {
    slots.withLock { $0 }.mapValues(\.state)
  }

  /// Whether any slot is loading.
  public var isLoading: Bool { states.values.contains { $0.phase == .loading } }

  /// Cancels all loads. The content stays.
  public func cancelAll() {
    for slot in slots.withLock({ Array($0.values) }) { slot.cancel() }
  }

  /// Removes a slot. Its load is cancelled, and its states end, once the program releases it.
  @discardableResult
  public func remove(_ key: Key) -> ImageSlot? {
    slots.withLock { $0.removeValue(forKey: key) }
  }
}
