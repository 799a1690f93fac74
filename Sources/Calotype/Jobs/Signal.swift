import CalotypeImaging

/// What a subscriber is told.
enum Signal<Value: Sendable>: Sendable {
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
struct Interests: OptionSet, Sendable {
  let rawValue: UInt8
  static let start = Interests(rawValue: 1)
  static let progress = Interests(rawValue: 2)
  static let previews = Interests(rawValue: 4)
  static let interim = Interests(rawValue: 8)
  static let basic: Interests = [.start, .progress, .interim]
  static let all: Interests = [.start, .progress, .previews, .interim]
}
