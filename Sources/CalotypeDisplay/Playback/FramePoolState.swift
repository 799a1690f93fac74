import Calotype
import CalotypeImaging

/// The state of a pool of frames: its frames, the requests of players, and the frame to decode next. A
/// value that does no work itself.
///
/// Frames that a player will show soon are kept. All others are evicted when memory is short, the least
/// recently used first. Frames that are being decoded count like decoded ones.
struct FramePoolState {
  private struct Place: Hashable {
    let cache: Int
    let index: Int
  }

  /// A claim that is active.
  private struct Claim {
    let owner: Int
    let budget: Int?
    var cache: Int?
  }

  /// The limit in bytes at present.
  private var byteLimit: Int
  private(set) var statistics = FramePool.Statistics()
  private var caches: [Int: FrameCache] = [:]
  private var cacheIDs: [FrameIdentity: Int] = [:]
  private var claims: [Int: Claim] = [:]
  /// The active players, with the number of their claims.
  private var players: [Int: Int] = [:]
  private var uses = LRUOrder<Place>()
  private var nextID = 0
  /// Evicted frames, to be released outside of the lock.
  private var garbage: [Image] = []

  init(byteLimit: Int) {
    self.byteLimit = max(0, byteLimit)
  }

  /// The answer to a request.
  enum Answer {
    case image(Image)
    case waits(FrameWaiter)
    /// The player is not active, or requested no frame.
    case inactive
  }

  // MARK: Players

  mutating func makeID() -> Int {
    nextID += 1
    return nextID
  }

  /// Adds a claim of a player.
  ///
  /// - Parameters:
  ///   - id: The claim.
  ///   - owner: The player. All its claims together have one share of the budget.
  ///   - budget: The bytes to preload; `nil` for the frames that are shown next.
  mutating func activate(_ id: Int, owner: Int, budget: Int?) {
    guard claims[id] == nil else { return }
    claims[id] = Claim(owner: owner, budget: budget)
    players[owner, default: 0] += 1
    statistics.players = players.count
  }

  /// The work to end with a claim.
  struct Ending {
    var waiter: FrameWaiter?
    /// The decode that no player needs any more.
    var task: Task<Void, Never>?
    /// The source that has no players left.
    var source: (any FrameSource)?
  }

  /// Removes a claim, and with the last one of an animation all its frames.
  mutating func deactivate(_ claim: Int) -> Ending {
    guard let removed = claims.removeValue(forKey: claim) else { return Ending() }
    let remaining = players[removed.owner, default: 1] - 1
    players[removed.owner] = remaining > 0 ? remaining : nil
    statistics.players = players.count
    guard let id = removed.cache, let cache = caches[id] else { return Ending() }
    let waiter = cache.requests.removeValue(forKey: claim)?.awaited?.waiter
    guard cache.requests.isEmpty else { return Ending(waiter: waiter) }
    caches[id] = nil
    cacheIDs[cache.source.identity] = nil
    for (index, image) in cache.frames { drop(image, from: Place(cache: id, index: index)) }
    cache.frames = [:]
    return Ending(waiter: waiter, task: cache.task, source: isPlayed(cache.source) ? nil : cache.source)
  }

  /// Returns whether frames of the same decoder are played, with any transforms.
  func isPlayed(_ source: any FrameSource) -> Bool {
    let origin = source.identity.origin
    return caches.values.contains { $0.source.identity.origin == origin }
  }

  /// The bytes in the share of each player.
  private var part: Int { byteLimit / max(1, players.count) }

  /// Returns the number of frames in the share of a player.
  func share(of source: any FrameSource) -> Int {
    let known = cacheIDs[source.identity].flatMap { caches[$0]?.frameByteCount }
    return source.share(of: part, frameByteCount: known)
  }

  /// Returns the number of frames that a preload may hold, besides those that its player shows next.
  func room(for claim: Int) -> Int {
    guard let id = claims[claim]?.cache, let cache = caches[id], let request = cache.requests[claim] else {
      return 0
    }
    return cache.room(for: request, share: cache.share(of: part))
  }

  /// Returns the number of frames held of a source.
  func count(of source: any FrameSource) -> Int {
    cacheIDs[source.identity].flatMap { caches[$0]?.frames.count } ?? 0
  }

  /// Records the frames that a claim is for, and answers the request for the one that it needs now.
  ///
  /// - Parameter wanted: The frames, in the order in which they are shown; `nil` for those of the last request.
  mutating func request(
    _ index: Int?, wanted: [PlaybackPath.Upcoming]?, of source: any FrameSource, for claim: Int
  ) -> Answer {
    guard let known = claims[claim], let cache = cache(of: source, for: claim) else { return .inactive }
    var demand =
      cache.requests[claim] ?? FrameCacheRequest(owner: known.owner, budget: known.budget)
    if let wanted { demand.wanted = wanted }
    demand.awaited = nil
    defer { cache.requests[claim] = demand }
    guard let index else { return .inactive }
    if let image = cache.frames[index] {
      uses.use(Place(cache: cache.id, index: index))
      if known.budget == nil { statistics.hits += 1 }
      return .image(image)
    }
    cache.failed.remove(index)
    let waiter = FrameWaiter()
    demand.awaited = (index, waiter)
    return .waits(waiter)
  }

  private mutating func cache(of source: any FrameSource, for claim: Int) -> FrameCache? {
    guard let known = claims[claim] else { return nil }
    if let id = known.cache { return caches[id] }
    let identity = source.identity
    let id: Int
    if let known = cacheIDs[identity] {
      id = known
    } else {
      id = makeID()
      cacheIDs[identity] = id
      caches[id] = FrameCache(id: id, source: source)
    }
    claims[claim]?.cache = id
    return caches[id]
  }

  // MARK: Decoding

  /// Returns the next frame to decode for a claim, unless a decode of its animation is under way.
  mutating func start(for claim: Int) -> (FrameCache, FrameRequest)? {
    guard let id = claims[claim]?.cache, let cache = caches[id], cache.running == nil else { return nil }
    cache.running = nextOrder(cache)
    return cache.running.map { (cache, $0) }
  }

  /// Records the result of a decode. Returns its waiters, and the next frame to decode.
  mutating func finish(
    _ order: FrameRequest, _ result: Result<Image, any Error>
  ) -> ([FrameWaiter], FrameRequest?) {
    add(-order.reserved)
    guard let cache = caches[order.cache] else { return ([], nil) }
    statistics.decodes += 1
    switch result {
    case .success(let image):
      cache.failed.remove(order.index)
      let isSizeNew = cache.frameByteCount == nil && cache.source.frameByteCount == nil
      cache.frameByteCount = image.bitmap.byteCount
      // No bytes were reserved while the size was unknown.
      let isKept = order.reserved > 0 || (isSizeNew && cache.isWanted(order.index, in: part))
      if isKept, cache.frames[order.index] == nil, reserve(image.bitmap.byteCount) {
        cache.frames[order.index] = image
        statistics.frames += 1
        uses.use(Place(cache: cache.id, index: order.index))
      }
    case .failure:
      cache.failed.insert(order.index)
    }
    var waiters: [FrameWaiter] = []
    for (claim, demand) in cache.requests where demand.awaited?.index == order.index {
      if let waiter = demand.awaited?.waiter { waiters.append(waiter) }
      cache.requests[claim]?.awaited = nil
    }
    cache.running = nextOrder(cache)
    if cache.running == nil { cache.task = nil }
    return (waiters, cache.running)
  }

  private mutating func nextOrder(_ cache: FrameCache) -> FrameRequest? {
    let share = cache.share(of: part)
    // Frames that are shown come before those that are preloaded.
    let claims = cache.requests.sorted {
      ($0.value.isPreload ? 1 : 0, $0.key) < ($1.value.isPreload ? 1 : 0, $1.key)
    }
    .map(\.key)
    for claim in claims {
      guard var request = cache.requests[claim] else { continue }
      request.refill(cache, share: cache.room(for: request, share: share))
      cache.requests[claim] = request
    }
    for claim in claims {
      if let awaited = cache.requests[claim]?.awaited?.index {
        return order(for: awaited, of: claim, cache)
      }
    }
    for claim in claims {
      guard let index = cache.requests[claim]?.batch.first else { continue }
      if let order = stored(index, cache) { return order }
      cache.requests[claim]?.batch = []
    }
    return nil
  }

  /// Returns the frames to decode for a waiting claim: the awaited one, with those before it if there is room.
  private mutating func order(for awaited: Int, of claim: Int, _ cache: FrameCache) -> FrameRequest {
    let batch = cache.requests[claim]?.batch ?? []
    if batch.contains(awaited), let first = batch.first, first != awaited {
      if let order = stored(first, cache) { return order }
      cache.requests[claim]?.batch = []
    }
    if cache.isWanted(awaited, in: part), let order = stored(awaited, cache) { return order }
    return FrameRequest(cache: cache.id, source: cache.source, index: awaited, reserved: 0)
  }

  /// Returns a request with memory reserved for its frame, if it fits.
  private mutating func stored(_ index: Int, _ cache: FrameCache) -> FrameRequest? {
    guard let byteCount = cache.frameByteCount ?? cache.source.frameByteCount, reserve(byteCount) else {
      return nil
    }
    return FrameRequest(cache: cache.id, source: cache.source, index: index, reserved: byteCount)
  }

  // MARK: Budget

  private mutating func reserve(_ byteCount: Int) -> Bool {
    guard byteCount > 0, byteCount <= byteLimit, makeRoom(for: byteCount) else { return false }
    add(byteCount)
    return true
  }

  /// Evicts frames that no player will show soon, until the bytes fit.
  private mutating func makeRoom(for byteCount: Int) -> Bool {
    while byteCount > byteLimit - statistics.bytes {
      let (caches, part) = (caches, part)
      let oldest = uses.takeOldest { place in caches[place.cache]?.isWanted(place.index, in: part) != true }
      guard let oldest, let image = caches[oldest.cache]?.frames.removeValue(forKey: oldest.index) else {
        return false
      }
      drop(image, from: oldest)
    }
    return true
  }

  /// Sets the limit. Frames that are being decoded may exceed it until they are finished.
  mutating func setByteLimit(_ byteLimit: Int) {
    self.byteLimit = max(0, byteLimit)
    _ = makeRoom(for: 0)
  }

  private mutating func drop(_ image: Image, from place: Place) {
    garbage.append(image)
    uses.remove(place)
    statistics.frames -= 1
    add(-image.bitmap.byteCount)
  }

  private mutating func add(_ byteCount: Int) {
    statistics.bytes += byteCount
    statistics.peakBytes = max(statistics.peakBytes, statistics.bytes)
  }

  /// Removes the frames of a source that no player shows soon or has preloaded.
  mutating func removeUnwanted(of source: any FrameSource) {
    guard let id = cacheIDs[source.identity], let cache = caches[id] else { return }
    for (index, image) in cache.frames where !cache.isWanted(index, in: part) {
      cache.frames[index] = nil
      drop(image, from: Place(cache: id, index: index))
    }
  }

  /// Removes all frames; wanted ones are decoded again.
  mutating func removeAll() {
    for (id, cache) in caches {
      for (index, image) in cache.frames { drop(image, from: Place(cache: id, index: index)) }
      cache.frames = [:]
    }
  }

  mutating func takeGarbage() -> [Image] {
    defer { garbage = [] }
    return garbage
  }

  /// The number of bytes of the frames held, counted one by one.
  var countedBytes: Int {
    caches.values.reduce(0) { sum, cache in
      sum + (cache.running?.reserved ?? 0) + cache.frames.values.reduce(0) { $0 + $1.bitmap.byteCount }
    }
  }
}
