import Calotype
import CalotypeTerminal

/// A line of `--events`.
struct EventLine: Encodable {
  private struct Network: Encodable {
    let queued: Double
    let nameLookup: Double
    let connect: Double
    let tls: Double
    let firstByte: Double
    let total: Double
    let attempts: Int
    let redirects: Int
    let networkProtocol: String?

    enum CodingKeys: String, CodingKey {
      case queued, nameLookup, connect, tls, firstByte, total, attempts, redirects
      case networkProtocol = "protocol"
    }
  }

  let event: String
  let source: String
  /// The time in milliseconds since the command began.
  let at: Double
  private var received: Int?
  private var expected: Int?
  private var width: Int?
  private var height: Int?
  private var from: String?
  private var bytes: Int?
  private var milliseconds: Double?
  /// The durations of the stages in milliseconds.
  private var stages: [String: Double]?
  /// The phases of the transfer in milliseconds since it began, as far as measured.
  private var network: Network?
  private var error: Failure.Details?

  init(_ event: LoadEvent, source: String, at time: Duration) {
    self.source = source
    at = Formatting.milliseconds(time)
    switch event {
    case .queued:
      self.event = "queued"
    case .started:
      self.event = "started"
    case .progress(let progress):
      self.event = "progress"
      (received, expected) = (progress.received, progress.expected)
    case .preview(let size):
      self.event = "preview"
      (width, height) = (size.width, size.height)
    case .stale(let response):
      self.event = "stale"
      add(response)
    case .response(let response):
      self.event = "response"
      add(response)
    case .notModified:
      self.event = "notModified"
    case .refreshFailed(let error):
      self.event = "refreshFailed"
      self.error = Failure(source: source, error: error).error
    case .failed(let error):
      self.event = "failed"
      self.error = Failure(source: source, error: error).error
    }
  }

  private mutating func add(_ response: LoadEvent.Response) {
    from = response.from.rawValue
    bytes = response.bytes
    milliseconds = Formatting.milliseconds(response.duration)
    let timings = response.timings
    if !timings.stages.isEmpty {
      stages = Dictionary(
        uniqueKeysWithValues: timings.stages.map { ($0.key.rawValue, Formatting.milliseconds($0.value)) })
    }
    network = timings.load.map { load in
      func time(_ part: KeyPath<LoadResponse.Metrics, Duration>) -> Double {
        Formatting.milliseconds(load[keyPath: part])
      }
      return Network(
        queued: time(\.queued), nameLookup: time(\.nameLookup), connect: time(\.connect), tls: time(\.tls),
        firstByte: time(\.firstByte), total: time(\.total), attempts: load.attempts,
        redirects: load.redirects, networkProtocol: load.networkProtocol)
    }
  }
}
