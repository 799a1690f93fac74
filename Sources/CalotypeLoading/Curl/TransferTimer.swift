import CalotypeSupport

/// The deadlines of a running transfer. Pure: the caller passes the time.
struct TransferTimer {
  typealias Deadline = (time: MonotonicTime, phase: LoadRequest.Timeouts.Phase)

  let timeouts: LoadRequest.Timeouts
  let submitted: MonotonicTime
  private var hopStarted: MonotonicTime
  /// Whether the request could be sent.
  private(set) var isConnected = false
  private var lastActivity: MonotonicTime
  private var pausedSince: MonotonicTime?
  /// The limit from the call to the end of the response's header; `nil` for none, and once the header has arrived.
  private var headLimit: Duration?
  /// When the first byte of the response arrived, plus the time of all pauses, and the number of bytes received.
  private var response: (start: MonotonicTime, bytes: Int)?
  /// The start of the window of the minimum speed, and the bytes in it.
  private var window: (start: MonotonicTime, bytes: Int)?

  init(
    timeouts: LoadRequest.Timeouts, submitted: MonotonicTime, started: MonotonicTime,
    headLimit: Duration? = nil
  ) {
    self.headLimit = headLimit
    self.timeouts = timeouts
    self.submitted = submitted
    hopStarted = started
    lastActivity = started
  }

  /// A redirect is followed: another connection may be needed.
  mutating func hop(at now: MonotonicTime) {
    hopStarted = now
    isConnected = false
    window = nil
    response = nil
  }

  /// A connection is ready for the request.
  mutating func connected(at now: MonotonicTime) {
    isConnected = true
    lastActivity = now
  }

  /// Bytes of the content were sent: the server has no reason to answer yet.
  mutating func sent(at now: MonotonicTime) {
    lastActivity = now
  }

  /// The header of the final response is complete.
  mutating func headArrived() {
    headLimit = nil
  }

  /// Bytes arrived. Returns `true` for the first ones of a response, which may move the deadline forward.
  @discardableResult mutating func activity(at now: MonotonicTime, bytes: Int) -> Bool {
    let isFirst = response == nil
    isConnected = true
    lastActivity = now
    window = (window?.start ?? now, (window?.bytes ?? 0) + bytes)
    response = (response?.start ?? now, (response?.bytes ?? 0) + bytes)
    return isFirst
  }

  /// The consumer is behind: silence from now on is the effect of back-pressure. The refused bytes will arrive again.
  mutating func paused(at now: MonotonicTime, refusing bytes: Int) {
    response?.bytes -= bytes
    if pausedSince == nil { pausedSince = now }
  }

  /// The consumer caught up.
  mutating func resumed(at now: MonotonicTime) {
    if let pausedSince, let response {
      self.response = (response.start.advanced(by: pausedSince.duration(to: now)), response.bytes)
    }
    pausedSince = nil
    lastActivity = now
    window = (now, 0)
  }

  /// The next deadline and its phase; `nil` when there is none.
  var deadline: Deadline? {
    var next: Deadline?
    func consider(_ time: MonotonicTime, _ phase: LoadRequest.Timeouts.Phase) {
      if next.map({ time < $0.time }) ?? true { next = (time, phase) }
    }
    if !isConnected {
      consider(hopStarted.advanced(by: timeouts.connect), .connect)
    } else if pausedSince == nil {
      consider(lastActivity.advanced(by: timeouts.idle), .idle)
      if let limit = timeouts.minimumSpeed, let window {
        consider(window.start.advanced(by: limit.duration), .minimumSpeed)
      }
      if timeouts.body != nil, let response {
        consider(response.start.advanced(by: duration(.body)), .body)
      }
    }
    if let total = timeouts.total { consider(submitted.advanced(by: total), .total) }
    if let headLimit { consider(submitted.advanced(by: headLimit), isConnected ? .idle : .connect) }
    return next
  }

  /// The present duration of `phase`.
  func duration(_ phase: LoadRequest.Timeouts.Phase) -> Duration {
    let duration = timeouts.duration(phase, received: response?.bytes ?? 0)
    // Until the header has arrived, its limit may be what passed.
    guard let headLimit, phase == .idle || phase == .connect else { return duration }
    return min(duration, headLimit)
  }

  /// Returns the deadline that has passed, if any. A window with enough bytes is followed by the next.
  mutating func expired(at now: MonotonicTime) -> LoadRequest.Timeouts.Phase? {
    guard let deadline, deadline.time <= now else { return nil }
    guard deadline.phase == .minimumSpeed, let limit = timeouts.minimumSpeed, let window else {
      return deadline.phase
    }
    if Double(window.bytes) < limit.bytes { return .minimumSpeed }
    self.window = (now, 0)
    // The window may have hidden another deadline.
    return expired(at: now)
  }
}

extension LoadRequest.Timeouts {
  /// The duration of `phase` after `received` bytes of a response.
  func duration(_ phase: Phase, received: Int = 0) -> Duration {
    switch phase {
    case .connect: connect
    case .idle: idle
    case .total, .queue: total ?? .zero
    case .minimumSpeed: minimumSpeed?.duration ?? .zero
    case .body: body?.duration(received: received) ?? .zero
    }
  }
}

extension LoadRequest.Timeouts.BodyTime {
  /// The time limit of a response after `received` bytes.
  fileprivate func duration(received: Int) -> Duration {
    let (seconds, rest) = received.quotientAndRemainder(dividingBy: max(1, bytesPerSecond))
    let nanoseconds = Double(rest) / Double(max(1, bytesPerSecond)) * 1e9
    // Longer durations could overflow the sum.
    let most = Duration.seconds(1 << 40)
    return min(base, most) + min(.seconds(seconds), most) + .nanoseconds(Int64(nanoseconds))
  }
}

extension LoadRequest.Timeouts.MinimumSpeed {
  /// The bytes of one window, in floating point to avoid overflow.
  fileprivate var bytes: Double {
    Double(bytesPerSecond) * Double(max(0, duration.nanosecondCount)) / 1e9
  }
}
