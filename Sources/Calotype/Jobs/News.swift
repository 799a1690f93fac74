import CalotypeImaging
import CalotypeLoading

/// How far a transfer is, and the bytes that have arrived.
struct Arrival: Sendable {
  var progress: LoadProgress
  /// To be read by whoever decodes meanwhile.
  var bytes: ArrivingBytes?
  /// When the first of them came, in the time of the pipeline.
  var start: Duration
}

/// What has happened since somebody looked, of each kind only the newest.
struct News<Value: Sendable>: Sendable {
  var hasStarted = false
  var arrival: Arrival?
  var preview: Image?
  var interim: Value?

  mutating func add(_ other: News) {
    if other.hasStarted { hasStarted = true }
    if let arrival = other.arrival { self.arrival = arrival }
    if let preview = other.preview { self.preview = preview }
    if let interim = other.interim { self.interim = interim }
  }

  /// Whether there is something that somebody is interested in.
  func has(_ interests: Interests) -> Bool {
    (hasStarted && interests.contains(.start)) || (interim != nil && interests.contains(.interim))
      || (arrival != nil && interests.contains(.progress))
      || (preview != nil && interests.contains(.previews))
  }

  /// The next of the kinds that somebody is interested in.
  mutating func take(_ interests: Interests) -> Signal<Value>? {
    if hasStarted, interests.contains(.start) {
      hasStarted = false
      return .started
    }
    if let interim, interests.contains(.interim) {
      self.interim = nil
      return .interim(interim)
    }
    if let arrival, interests.contains(.progress) {
      self.arrival = nil
      return .arrived(arrival)
    }
    if let preview, interests.contains(.previews) {
      self.preview = nil
      return .preview(preview)
    }
    return nil
  }
}

/// What a subscriber is told.
enum Signal<Value: Sendable>: Sendable {
  /// The work has begun.
  case started
  /// Bytes have arrived.
  case arrived(Arrival)
  /// What can be seen so far.
  case preview(Image)
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
