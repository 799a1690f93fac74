public import Calotype
import CalotypeSupport

/// The slots of one thing on the screen, each with a name: the picture, its highlighted form, the background.
///
/// ```swift
/// let slots = ImageSlots<ButtonState>(pipeline)
/// slots[.normal].load(request)
/// slots[.highlighted].load(brighter)
/// ```
///
/// A slot is made when it is first asked for, and kept until it is removed or the set goes. Slots know nothing of each
/// other.
public final class ImageSlots<Key: Hashable & Sendable>: Sendable {
  /// How loads are shown that do not say otherwise.
  public let options: SlotOptions
  private let pipeline: ImagePipeline
  private let clock: (any Clock<Duration>)?
  private let indicator: (@Sendable (Key) -> (any ImageSlotIndicator)?)?
  private let slots = Lock<[Key: ImageSlot]>([:])

  /// Creates an empty set.
  ///
  /// - Parameters:
  ///   - pipeline: Where images come from.
  ///   - options: How loads are shown that do not say otherwise.
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

  /// The slot of a name; always the same until it is removed.
  public subscript(key: Key) -> ImageSlot {
    if let slot = slots.withLock({ $0[key] }) { return slot }
    // Not under the lock: indicators are made by others.
    let new = ImageSlot(pipeline, options: options, indicator: indicator?(key), clock: clock)
    return slots.withLock { slots in
      if let slot = slots[key] { return slot }
      slots[key] = new
      return new
    }
  }

  /// Names that have a slot.
  public var keys: [Key] { slots.withLock { Array($0.keys) } }

  /// What each slot shows now.
  public var states: [Key: SlotState] {
    slots.withLock { $0 }.mapValues(\.state)
  }

  /// Whether anything is on its way.
  public var isLoading: Bool { states.values.contains { $0.phase == .loading } }

  /// Gives up all loads. What is shown stays.
  public func cancelAll() {
    for slot in slots.withLock({ Array($0.values) }) { slot.cancel() }
  }

  /// Forgets a slot: its load is given up, and its states end, when nobody else holds it.
  @discardableResult
  public func remove(_ key: Key) -> ImageSlot? {
    slots.withLock { $0.removeValue(forKey: key) }
  }
}
