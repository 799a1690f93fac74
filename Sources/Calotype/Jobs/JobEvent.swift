import CalotypeImaging

/// What a subscriber is told.
enum JobEvent<Value: Sendable>: Sendable {
  /// The work has begun.
  case started
  /// Bytes have arrived.
  case arrived(Arrival)
  /// What can be seen so far. Indirect: all who wait have room for a signal.
  indirect case preview(Image)
  /// A value that will do for now; the work goes on.
  case interim(Value)
  /// The value.
  case ended(Value)
}

/// What a subscriber wants to be told beside the ending.
struct EventMask: OptionSet, Sendable {
  let rawValue: UInt8
  static let start = EventMask(rawValue: 1)
  static let progress = EventMask(rawValue: 2)
  static let previews = EventMask(rawValue: 4)
  static let interim = EventMask(rawValue: 8)
  static let basic: EventMask = [.start, .progress, .interim]
  static let all: EventMask = [.start, .progress, .previews, .interim]
}
