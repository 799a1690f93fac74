/// The distribution of one limit of bytes among accounts. A pure value.
///
/// Each account has a floor that it may always use, which prevents starvation, and a ceiling: it may use
/// the unused bytes of the others, except for their floors.
struct MemoryLedger: Hashable, Sendable {
  /// The purpose of held bytes.
  enum Account: Int, CaseIterable, Sendable {
    /// Encoded originals that are arriving or wait to be decoded.
    case encoded
    /// Canvases of decoders whose bytes are still arriving, and their previews: reclaimed when memory is
    /// short.
    case arriving
    /// Pixels of running decodes and transforms.
    case decoded
    /// Images and bytes that wait to be stored.
    case stores
  }

  /// The limit of all accounts together, in bytes.
  private(set) var limit: Int
  private var floors: [Int]
  private var ceilings: [Int]
  private var held: [Int]
  private var peaks: [Int]
  /// The number of bytes held in total.
  private(set) var total = 0
  /// The peak of the total.
  private(set) var peakTotal = 0
  /// The number of changes of what is held.
  private(set) var changes = 0

  /// Creates the accounts of a limit: a quarter is reserved for encoded bytes, a half for pixels and an
  /// eighth for stores.
  ///
  /// - Parameters:
  ///   - limit: The limit of all accounts together, in bytes.
  ///   - ceilings: The ceilings of single accounts, in bytes; `limit` for all others.
  init(limit: Int, ceilings: [Account: Int] = [:]) {
    let limit = max(0, limit)
    self.limit = limit
    let most = Account.allCases.map { max(0, min(ceilings[$0] ?? limit, limit)) }
    floors = zip([limit / 4, 0, limit / 2, limit / 8], most).map { min($0, $1) }
    self.ceilings = most
    held = most.map { _ in 0 }
    peaks = held
  }

  /// Returns the number of bytes that an account holds.
  func held(by account: Account) -> Int { held[account.rawValue] }
  /// Returns the peak number of bytes that an account has held.
  func peak(of account: Account) -> Int { peaks[account.rawValue] }
  /// Returns the maximum number of bytes that an account may hold.
  func ceiling(of account: Account) -> Int {
    let others = floors.indices.reduce(0) { $1 == account.rawValue ? $0 : $0 + floors[$1] }
    return min(ceilings[account.rawValue], limit - others)
  }

  /// Returns the number of bytes that an account may always use.
  func floor(of account: Account) -> Int { floors[account.rawValue] }

  /// Returns the number of bytes that an account may take now.
  func room(for account: Account) -> Int {
    var kept = 0
    for other in floors.indices where other != account.rawValue {
      // Arriving bytes are reclaimed for pixels: they may use the floor of pixels, but no other.
      if other == Account.decoded.rawValue {
        if account != .arriving { kept += max(0, floors[other] - held[other] - self.held(by: .arriving)) }
      } else {
        kept += max(0, floors[other] - held[other])
      }
    }
    return max(0, min(limit - total - kept, ceilings[account.rawValue] - held[account.rawValue]))
  }

  /// Reserves bytes, if they fit.
  mutating func reserve(_ bytes: Int, in account: Account) -> Bool {
    guard bytes >= 0, bytes <= room(for: account) else { return false }
    add(bytes, to: account)
    return true
  }

  /// Reserves bytes regardless of the floors of other accounts, if only encoded bytes and stores are held:
  /// an image that is larger than its account is processed alone.
  mutating func reserveAlone(_ bytes: Int, in account: Account) -> Bool {
    guard bytes >= 0, total == held(by: .encoded) + held(by: .stores), bytes <= limit - total,
      bytes <= ceilings[account.rawValue] || held(by: account) == 0
    else { return false }
    add(bytes, to: account)
    return true
  }

  /// Releases bytes.
  mutating func release(_ bytes: Int, from account: Account) {
    held[account.rawValue] -= bytes
    total -= bytes
    changes += 1
  }

  /// Takes back bytes that were released a moment ago.
  mutating func restore(_ bytes: Int, to account: Account) {
    held[account.rawValue] += bytes
    total += bytes
  }

  private mutating func add(_ bytes: Int, to account: Account) {
    held[account.rawValue] += bytes
    total += bytes
    changes += 1
    peaks[account.rawValue] = max(peaks[account.rawValue], held[account.rawValue])
    peakTotal = max(peakTotal, total)
  }
}
