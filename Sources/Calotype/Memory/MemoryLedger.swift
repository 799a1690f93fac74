/// Who holds how many bytes of one limit. A pure value.
///
/// Each account has a floor that it may always use, so that none starves another, and a ceiling: it may take what the
/// others do not use, but for their floors.
struct MemoryLedger: Hashable, Sendable {
  /// What bytes are held for.
  enum Account: Int, CaseIterable, Sendable {
    /// Encoded originals that arrive or wait to be decoded.
    case encoded
    /// Canvases of decoders whose bytes still arrive, and previews of them: given up when somebody needs the room.
    case arriving
    /// Pixels of decodes and transforms that run.
    case decoded
    /// Images and bytes that wait to be stored.
    case stores
  }

  /// Bytes of all accounts.
  private(set) var limit: Int
  private var floors: [Int]
  private var ceilings: [Int]
  private var held: [Int]
  private var peaks: [Int]
  /// Bytes that are held in all.
  private(set) var total = 0
  /// The most there have been.
  private(set) var peakTotal = 0

  /// Accounts of a limit, of which a quarter is kept for encoded bytes, a half for pixels and an eighth for stores.
  ///
  /// - Parameters:
  ///   - limit: Bytes of all accounts.
  ///   - ceilings: Bytes of single accounts; the limit for those that are not named.
  init(limit: Int, ceilings: [Account: Int] = [:]) {
    let limit = max(0, limit)
    self.limit = limit
    let most = Account.allCases.map { max(0, min(ceilings[$0] ?? limit, limit)) }
    floors = zip([limit / 4, 0, limit / 2, limit / 8], most).map { min($0, $1) }
    self.ceilings = most
    held = most.map { _ in 0 }
    peaks = held
  }

  /// Bytes that an account holds.
  func held(by account: Account) -> Int { held[account.rawValue] }
  /// The most that an account has held.
  func peak(of account: Account) -> Int { peaks[account.rawValue] }
  /// The most that an account may hold.
  func ceiling(of account: Account) -> Int {
    let others = floors.indices.reduce(0) { $1 == account.rawValue ? $0 : $0 + floors[$1] }
    return min(ceilings[account.rawValue], limit - others)
  }

  /// Bytes that an account may always use.
  func floor(of account: Account) -> Int { floors[account.rawValue] }

  /// Bytes that an account may take now.
  func room(for account: Account) -> Int {
    var kept = 0
    for other in floors.indices where other != account.rawValue {
      // What gives way to pixels may take their room until then, and nobody else's.
      if other == Account.decoded.rawValue {
        if account != .arriving { kept += max(0, floors[other] - held[other] - self.held(by: .arriving)) }
      } else {
        kept += max(0, floors[other] - held[other])
      }
    }
    return max(0, min(limit - total - kept, ceilings[account.rawValue] - held[account.rawValue]))
  }

  /// Takes bytes, if there is room for them.
  mutating func reserve(_ bytes: Int, in account: Account) -> Bool {
    guard bytes >= 0, bytes <= room(for: account) else { return false }
    add(bytes, to: account)
    return true
  }

  /// Takes bytes without regard to what is kept for other accounts, if nothing but encoded bytes and stores is held: an image
  /// that is larger than its account goes alone.
  mutating func reserveAlone(_ bytes: Int, in account: Account) -> Bool {
    guard bytes >= 0, total == held(by: .encoded) + held(by: .stores), bytes <= limit - total,
      bytes <= ceilings[account.rawValue] || held(by: account) == 0
    else { return false }
    add(bytes, to: account)
    return true
  }

  /// Gives bytes back.
  mutating func release(_ bytes: Int, from account: Account) {
    held[account.rawValue] -= bytes
    total -= bytes
  }

  /// Takes back bytes that were given back a moment ago.
  mutating func restore(_ bytes: Int, to account: Account) {
    held[account.rawValue] += bytes
    total += bytes
  }

  private mutating func add(_ bytes: Int, to account: Account) {
    held[account.rawValue] += bytes
    total += bytes
    peaks[account.rawValue] = max(peaks[account.rawValue], held[account.rawValue])
    peakTotal = max(peakTotal, total)
  }
}
