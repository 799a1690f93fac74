import CalotypeSupport

/// How many bytes a ``MemoryCache`` may hold now: what it was given, less what the memory of the machine demands.
///
/// A value without a clock: whoever asks tells the time.
struct MemoryBudget: Sendable {
  /// What the program asked for; `nil` to follow the memory of the machine.
  private var asked: Int?
  /// The first memory limit that was reported: `asked` was meant for that.
  private var firstMemoryLimit: Int?
  private var memoryLimit: Int?
  /// The last reported level; `nil` when nobody watches.
  private(set) var level: MemoryPressure.Level?
  /// Of the whole budget.
  private var eighths = Self.all
  /// When the share began to recover, or last grew; `nil` when it does not.
  private var lastStep: Int64?

  private static let all = 8
  /// How long there has to be no pressure for another eighth, in nanoseconds.
  static let step: Int64 = 5_000_000_000

  init(byteLimit: Int?) {
    asked = byteLimit.map { max(0, $0) }
  }

  /// Without pressure.
  var whole: Int {
    guard let asked else { return memoryLimit.map(SystemMemory.cacheLimit) ?? SystemMemory.defaultCacheLimit }
    guard let memoryLimit, let firstMemoryLimit, memoryLimit < firstMemoryLimit else { return asked }
    let scaled = Double(asked) * (Double(max(0, memoryLimit)) / Double(firstMemoryLimit))
    return scaled < Double(asked) ? Int(scaled) : asked
  }

  /// Now.
  var limit: Int {
    eighths == Self.all ? whole : whole / Self.all * eighths + whole % Self.all * eighths / Self.all
  }

  /// Whether time will change the limit.
  var isRecovering: Bool { lastStep != nil }

  mutating func setLimit(_ byteLimit: Int?) {
    asked = byteLimit.map { max(0, $0) }
    firstMemoryLimit = memoryLimit
  }

  /// Takes the steps that are due.
  mutating func recover(at time: Int64) {
    while let last = lastStep, time &- last >= Self.step {
      eighths += 1
      lastStep = eighths < Self.all ? last + Self.step : nil
    }
  }

  /// Takes in what a source reports; `nil` when it reports no longer.
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
