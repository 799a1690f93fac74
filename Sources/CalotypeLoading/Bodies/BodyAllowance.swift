/// How much of a body is held in memory: what ``BodyMemory`` grants, and never more than a request allows.
struct BodyAllowance {
  /// What is asked for first when no length is declared, in bytes; doubled from then on.
  static let firstStep = 64 << 10

  private let memory: (any BodyMemory)?
  private let declared: Int?
  private let most: Int
  private var granted = 0
  private var isRefused = false

  /// - Parameters:
  ///   - memory: `nil` when only `most` counts.
  ///   - declared: The length of the body, if the server says it.
  ///   - most: Most bytes to hold; a body that declares more is not asked for.
  init(memory: (any BodyMemory)?, declared: Int?, most: Int) {
    self.memory = memory
    self.declared = declared
    self.most = most
  }

  /// Waits for room for all of a body that declares its length.
  mutating func reserve() async throws {
    guard let memory, let declared, declared > 0, declared <= most else { return }
    if try await memory.reserve(declared) { granted = declared } else { isRefused = true }
  }

  /// To be called before a chunk is read behind `count` bytes.
  mutating func prepare(after count: Int) {
    // Of a body that is all there, only the end is left to read.
    if count == declared { return }
    grow(toHold: count + 1)
  }

  /// Whether `count` bytes, which have been read, may be held.
  mutating func covers(_ count: Int) -> Bool {
    if max(count, declared ?? 0) > most { return false }
    grow(toHold: count)
    return !isRefused
  }

  private mutating func grow(toHold count: Int) {
    guard let memory, !isRefused, count > granted, max(count, declared ?? 0) <= most else { return }
    var wanted = Self.firstStep
    while wanted < count, wanted < most { wanted = wanted > most / 2 ? most : wanted * 2 }
    wanted = min(wanted, most)
    if memory.grow(to: wanted) { granted = wanted } else { isRefused = true }
  }
}
