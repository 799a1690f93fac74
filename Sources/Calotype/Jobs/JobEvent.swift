import CalotypeImaging

/// An event for a subscriber.
enum JobEvent<Value: Sendable>: Sendable {
  /// The work has begun.
  case started
  /// Bytes have arrived.
  case arrived(Arrival)
  /// A preview. Indirect, so that waiting subscribers reserve memory for a reference only.
  indirect case preview(Image)
  /// An interim value; the work continues.
  case interim(Value)
  /// The final value.
  case ended(Value)
}

/// The events that a subscriber wants besides the ending.
struct EventMask: OptionSet, Sendable {
  let rawValue: UInt8
  static let start = EventMask(rawValue: 1)
  static let progress = EventMask(rawValue: 2)
  static let previews = EventMask(rawValue: 4)
  static let interim = EventMask(rawValue: 8)
  static let basic: EventMask = [.start, .progress, .interim]
  static let all: EventMask = [.start, .progress, .previews, .interim]
}
