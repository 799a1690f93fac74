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

  private struct Player {
    var cache: Int?
  }

  /// The limit in bytes at present.
  private var byteLimit: Int
  private(set) var statistics = FramePool.Statistics()
  private var caches: [Int: FrameCache] = [:]
  private var cacheIDs: [FrameIdentity: Int] = [:]
  /// The active players, each with its cache.
  private var players: [Int: Player] = [:]
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

  mutating func activate(_ player: Int) {
    if players[player] == nil { players[player] = Player() }
    statistics.players = players.count
  }

  /// The work to end with a player.
  struct Ending {
    var waiter: FrameWaiter?
    /// The decode that no player needs any more.
    var task: Task<Void, Never>?
    /// The source that has no players left.
    var source: (any FrameSource)?
  }

  /// Removes a player, and with the last one of an animation all its frames.
  mutating func deactivate(_ player: Int) -> Ending {
    defer { statistics.players = players.count }
    guard let id = players.removeValue(forKey: player)?.cache, let cache = caches[id] else {
      return Ending()
    }
    let waiter = cache.requests.removeValue(forKey: player)?.awaited?.waiter
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

  /// Records the frames that a player shows next, and answers the request for the one that it needs now.
  mutating func request(
    _ index: Int?, wanted: [PlaybackPath.Upcoming], of source: any FrameSource, for player: Int
  ) -> Answer {
    guard let cache = cache(of: source, for: player) else { return .inactive }
    var demand = cache.requests[player] ?? FrameCacheRequest()
    demand.wanted = wanted
    demand.awaited = nil
    defer { cache.requests[player] = demand }
    guard let index else { return .inactive }
    if let image = cache.frames[index] {
      uses.use(Place(cache: cache.id, index: index))
      statistics.hits += 1
      return .image(image)
    }
    cache.failed.remove(index)
    let waiter = FrameWaiter()
    demand.awaited = (index, waiter)
    return .waits(waiter)
  }

  private mutating func cache(of source: any FrameSource, for player: Int) -> FrameCache? {
    guard let known = players[player] else { return nil }
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
    players[player] = Player(cache: id)
    return caches[id]
  }

  // MARK: Decoding

  /// Returns the next frame to decode for a player, unless a decode of its animation is under way.
  mutating func start(for player: Int) -> (FrameCache, FrameRequest)? {
    guard let id = players[player]?.cache, let cache = caches[id], cache.running == nil else { return nil }
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
      cache.frameByteCount = image.bitmap.byteCount
      if order.reserved > 0, cache.frames[order.index] == nil, reserve(image.bitmap.byteCount) {
        cache.frames[order.index] = image
        statistics.frames += 1
        uses.use(Place(cache: cache.id, index: order.index))
      }
    case .failure:
      cache.failed.insert(order.index)
    }
    var waiters: [FrameWaiter] = []
    for (player, demand) in cache.requests where demand.awaited?.index == order.index {
      if let waiter = demand.awaited?.waiter { waiters.append(waiter) }
      cache.requests[player]?.awaited = nil
    }
    cache.running = nextOrder(cache)
    if cache.running == nil { cache.task = nil }
    return (waiters, cache.running)
  }

  private mutating func nextOrder(_ cache: FrameCache) -> FrameRequest? {
    let players = cache.requests.keys.sorted()
    let share = cache.share(of: part)
    for player in players { cache.requests[player]?.refill(cache, share: share) }
    for player in players {
      if let awaited = cache.requests[player]?.awaited?.index {
        return order(for: awaited, of: player, cache)
      }
    }
    for player in players {
      guard let index = cache.requests[player]?.batch.first else { continue }
      if let order = stored(index, cache) { return order }
      cache.requests[player]?.batch = []
    }
    return nil
  }

  /// Returns the frames to decode for a waiting player: the awaited one, with those before it if there is room.
  private mutating func order(for awaited: Int, of player: Int, _ cache: FrameCache) -> FrameRequest {
    let batch = cache.requests[player]?.batch ?? []
    if batch.contains(awaited), let first = batch.first, first != awaited {
      if let order = stored(first, cache) { return order }
      cache.requests[player]?.batch = []
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
