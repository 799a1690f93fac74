/// The digests of entries that left a queue of an ``EvictionOrder`` recently (its ghost queue).
///
/// A table with one slot per digest: a later digest overwrites an earlier one, and old digests stay but no longer
/// count, so nothing is ever searched or cleaned up. After a collision the order forgets an eviction, or mistakes a new
/// entry for a returning one; both are harmless.
struct EvictedDigests: Sendable {
  private struct Place: Sendable {
    var fold: UInt32 = 0
    /// The sums at the time of eviction; the number modulo 2³².
    var number: UInt32 = 0
    var bytes: UInt64 = 0
  }

  private let seed: UInt64
  private var places: [Place] = []
  /// Sums over all evictions. They start at one, so that an empty slot counts as old.
  private var bytes: UInt64 = 0
  private var number: UInt64 = 0
  private var byteLimit: UInt64 = 0
  private var countLimit: UInt64 = 0

  init(seed: UInt64) {
    self.seed = seed
  }

  /// The total cost of all valid digests, or their number if they cost nothing.
  var weight: Int { bytes > 0 ? Int(min(bytes, byteLimit)) : Int(min(number, countLimit)) }

  /// Adds a digest. From now on, the latest digests are valid: those with a total cost of at most `byteLimit`, and at
  /// most `countLimit` of them.
  mutating func insert(_ digest: Digest256, cost: Int, byteLimit: Int, countLimit: Int) {
    if places.count < 2 * countLimit { grow(to: 4 * countLimit) }
    self.byteLimit = UInt64(max(0, byteLimit))
    self.countLimit = UInt64(max(0, countLimit))
    number &+= 1
    bytes &+= UInt64(max(0, cost))
    let fold = fold(digest)
    places[index(fold)] = Place(fold: fold, number: UInt32(truncatingIfNeeded: number), bytes: bytes)
  }

  /// Removes a digest.
  /// - Returns: Whether it was there and valid.
  mutating func remove(_ digest: Digest256) -> Bool {
    guard !places.isEmpty else { return false }
    let fold = fold(digest)
    let place = places[index(fold)]
    guard place.fold == fold, place.number > 0 else { return false }
    places[index(fold)] = Place()
    let age = UInt32(truncatingIfNeeded: number) &- place.number
    return bytes &- place.bytes < max(1, byteLimit) && UInt64(age) < countLimit
  }

  mutating func removeAll() {
    self = EvictedDigests(seed: seed)
  }

  private mutating func grow(to minimum: Int) {
    let old = places
    var count = 64
    while count < minimum { count *= 2 }
    places = Array(repeating: Place(), count: count)
    for place in old where place.number > 0 { places[index(place.fold)] = place }
  }

  private func index(_ fold: UInt32) -> Int { Int(truncatingIfNeeded: fold) & (places.count - 1) }

  private func fold(_ digest: Digest256) -> UInt32 { UInt32(truncatingIfNeeded: digest.word3 ^ seed) }
}
