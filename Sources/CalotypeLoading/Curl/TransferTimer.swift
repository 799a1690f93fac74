import Glibc

/// A point in time that never goes back, in nanoseconds.
struct MonotonicTime: Comparable, Hashable, Sendable {
  var nanoseconds: UInt64

  static var now: MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
  }

  static let distantFuture = MonotonicTime(nanoseconds: .max)

  static func < (left: MonotonicTime, right: MonotonicTime) -> Bool { left.nanoseconds < right.nanoseconds }

  /// Saturates: an absurdly long duration is the distant future, a negative one no time at all.
  func advanced(by duration: Duration) -> MonotonicTime {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
    return overflow ? .distantFuture : MonotonicTime(nanoseconds: sum)
  }

  /// Milliseconds until then, rounded up, at most `limit`.
  func milliseconds(from now: MonotonicTime, limit: Int32) -> Int32 {
    if self <= now { return 0 }
    let wait = (nanoseconds - now.nanoseconds) / 1_000_000
    return wait >= UInt64(limit) ? limit : Int32(wait) + 1
  }
}

extension Duration {
  /// In nanoseconds, from 0 to `UInt64.max`.
  var wholeNanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    if seconds < 0 || attoseconds < 0 { return 0 }
    let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = product.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
    return overflow || carry ? .max : sum
  }

  /// In milliseconds, at least 1, as libcurl takes them.
  var curlMilliseconds: Int {
    Int(min(max(wholeNanoseconds / 1_000_000, 1), UInt64(Int32.max)))
  }
}

/// Which deadline of a running transfer comes next. Pure: it is told the time.
struct TransferTimer {
  let timeouts: LoadTimeouts
  let submitted: MonotonicTime
  let started: MonotonicTime
  /// The first request could be sent.
  private(set) var isConnected = false
  private var lastActivity: MonotonicTime
  private var isPaused = false

  init(timeouts: LoadTimeouts, submitted: MonotonicTime, started: MonotonicTime) {
    self.timeouts = timeouts
    self.submitted = submitted
    self.started = started
    lastActivity = started
  }

  /// A connection is ready for the request.
  mutating func connected(at now: MonotonicTime) {
    isConnected = true
    lastActivity = now
  }

  /// Bytes arrived.
  mutating func activity(at now: MonotonicTime) {
    isConnected = true
    lastActivity = now
  }

  /// The consumer is behind: silence is our own doing from now on.
  mutating func paused() {
    isPaused = true
  }

  /// The consumer caught up.
  mutating func resumed(at now: MonotonicTime) {
    isPaused = false
    lastActivity = now
  }

  /// The next deadline and what it is called; `nil` when there is none.
  var deadline: (time: MonotonicTime, phase: LoadTimeouts.Phase)? {
    var next: (time: MonotonicTime, phase: LoadTimeouts.Phase)?
    if !isConnected {
      next = (started.advanced(by: timeouts.connect), .connect)
    } else if !isPaused {
      next = (lastActivity.advanced(by: timeouts.idle), .idle)
    }
    if let total = timeouts.total {
      let end = submitted.advanced(by: total)
      if next.map({ end < $0.time }) ?? true { next = (end, .total) }
    }
    return next
  }
}

extension LoadTimeouts {
  /// The duration that belongs to `phase`.
  func duration(_ phase: Phase) -> Duration {
    switch phase {
    case .connect: connect
    case .idle: idle
    case .total: total ?? .zero
    }
  }
}
