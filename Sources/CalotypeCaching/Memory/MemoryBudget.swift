import CalotypeSupport

/// The present byte limit of a ``MemoryCache``: its configured limit, reduced under memory pressure.
///
/// A value without a clock: the caller passes the time.
struct MemoryBudget: Sendable {
  /// The configured limit; `nil` follows the memory of the machine.
  private var asked: Int?
  /// The first memory limit that was reported, which `asked` refers to.
  private var firstMemoryLimit: Int?
  private var memoryLimit: Int?
  /// The last reported level; `nil` when no source is followed.
  private(set) var level: MemoryPressure.Level?
  /// The fraction of the whole budget that is available.
  private var eighths = Self.all
  /// When the fraction began to recover or last grew; `nil` when it does not recover.
  private var lastStep: Int64?

  private static let all = 8
  /// The time without pressure after which the fraction grows by an eighth, in nanoseconds.
  static let step: Int64 = 5_000_000_000

  init(byteLimit: Int?) {
    asked = byteLimit.map { max(0, $0) }
  }

  /// The limit without pressure.
  var whole: Int {
    guard let asked else { return memoryLimit.map(SystemMemory.cacheLimit) ?? SystemMemory.defaultCacheLimit }
    guard let memoryLimit, let firstMemoryLimit, memoryLimit < firstMemoryLimit else { return asked }
    let scaled = Double(asked) * (Double(max(0, memoryLimit)) / Double(firstMemoryLimit))
    return scaled < Double(asked) ? Int(scaled) : asked
  }

  /// The present limit.
  var limit: Int {
    eighths == Self.all ? whole : whole / Self.all * eighths + whole % Self.all * eighths / Self.all
  }

  /// Whether time will change the limit.
  var isRecovering: Bool { lastStep != nil }

  mutating func setLimit(_ byteLimit: Int?) {
    asked = byteLimit.map { max(0, $0) }
    firstMemoryLimit = memoryLimit
  }

  /// Applies the recovery steps that are due.
  mutating func recover(at time: Int64) {
    while let last = lastStep, time &- last >= Self.step {
      eighths += 1
      lastStep = eighths < Self.all ? last + Self.step : nil
    }
  }

  /// Applies a report of a source; `nil` when the source has ended.
  mutating func apply(_ pressure: MemoryPressure?, at time: Int64) {
    if let limit = pressure?.memoryLimit, limit > 0 {
      memoryLimit = limit
      if firstMemoryLimit == nil { firstMemoryLimit = limit }
    }
    level = pressure?.level
    switch level {
    case .critical:
      eighths = Self.all / 4
      lastStep = nil
    case .warning:
      recover(at: time)
      eighths = min(eighths, Self.all / 2)
      lastStep = nil
    case .normal, nil:
      if eighths < Self.all, lastStep == nil { lastStep = time }
      recover(at: time)
    }
  }
}
