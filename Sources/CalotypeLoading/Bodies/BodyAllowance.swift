/// Limits how much of a body is held in memory: as much as ``BodyMemory`` grants, and never more than the request
/// allows.
struct BodyAllowance {
  /// The first reservation when no length is declared, in bytes; doubled from then on.
  static let firstStep = 64 << 10

  private let memory: (any BodyMemory)?
  private let declared: Int?
  private let most: Int
  private var granted = 0
  private var isRefused = false

  /// - Parameters:
  ///   - memory: `nil` when only `most` counts.
  ///   - declared: The length of the body, if the server declares it.
  ///   - most: The most bytes to hold; no memory is reserved for a body that declares more.
  init(memory: (any BodyMemory)?, declared: Int?, most: Int) {
    self.memory = memory
    self.declared = declared
    self.most = most
  }

  /// Waits for memory for a body that declares its length, or for its beginning.
  mutating func reserve() async throws {
    guard let memory, let declared, declared > 0, declared <= most else { return }
    if let granted = try await memory.reserve(declared) {
      self.granted = granted
    } else {
      isRefused = true
    }
  }

  /// Call it before reading a chunk after `count` bytes.
  mutating func prepare(after count: Int) {
    // Only the end of a complete body is left to read.
    if count == declared { return }
    grow(toHold: count + 1)
  }

  /// Returns whether `count` bytes, which have been read, may be held in memory.
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
    // No more than the declared length.
    if let declared, declared >= count { wanted = min(wanted, declared) }
    if memory.grow(to: wanted) { granted = wanted } else { isRefused = true }
  }
}
