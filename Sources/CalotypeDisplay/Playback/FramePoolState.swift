import Calotype
import CalotypeImaging

/// The state of a pool of frames: its frames, the requests of players, and the frame to decode next. A value that does no
/// work itself.
///
/// Frames that a player will show soon stay. All others are evicted when there is no room, the least recently used first.
/// Frames that are being decoded count like decoded ones.
struct FramePoolState {
  private struct Place: Hashable {
    let shelf: Int
    let index: Int
  }

  private struct Player {
    var shelf: Int?
  }

  /// The limit in bytes at present.
  private var byteLimit: Int
  private(set) var statistics = FramePool.Statistics()
  private var shelves: [Int: FrameCache] = [:]
  private var shelfIDs: [FrameIdentity: Int] = [:]
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
    /// The player is not active, or asked for no frame.
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

  /// The work that ends with a player.
  struct Ending {
    var waiter: FrameWaiter?
    /// The decode that no player needs any more.
    var task: Task<Void, Never>?
    /// The source that no player is left of.
    var source: (any FrameSource)?
  }

  /// Removes a player, and with the last one of an animation all its frames.
  mutating func deactivate(_ player: Int) -> Ending {
    defer { statistics.players = players.count }
    guard let id = players.removeValue(forKey: player)?.shelf, let shelf = shelves[id] else {
      return Ending()
    }
    let waiter = shelf.claims.removeValue(forKey: player)?.awaited?.waiter
    guard shelf.claims.isEmpty else { return Ending(waiter: waiter) }
    shelves[id] = nil
    shelfIDs[shelf.source.identity] = nil
    for (index, image) in shelf.frames { drop(image, from: Place(shelf: id, index: index)) }
    shelf.frames = [:]
    return Ending(waiter: waiter, task: shelf.task, source: isPlayed(shelf.source) ? nil : shelf.source)
  }

  /// Returns whether frames of the same decoder are played, with any transforms.
  func isPlayed(_ source: any FrameSource) -> Bool {
    let origin = source.identity.origin
    return shelves.values.contains { $0.source.identity.origin == origin }
  }

  /// The bytes in the share of each player.
  private var part: Int { byteLimit / max(1, players.count) }

  /// Returns the number of frames in the share of a player.
  func share(of source: any FrameSource) -> Int {
    let known = shelfIDs[source.identity].flatMap { shelves[$0]?.frameByteCount }
    return source.share(of: part, frameByteCount: known)
  }

  /// Notes the frames that a player shows next, and answers for the one that it needs now.
  mutating func request(
    _ index: Int?, wanted: [PlaybackPath.Upcoming], of source: any FrameSource, for player: Int
  ) -> Answer {
    guard let shelf = shelf(of: source, for: player) else { return .inactive }
    var demand = shelf.claims[player] ?? FrameCacheRequest()
    demand.wanted = wanted
    demand.awaited = nil
    defer { shelf.claims[player] = demand }
    guard let index else { return .inactive }
    if let image = shelf.frames[index] {
      uses.use(Place(shelf: shelf.id, index: index))
      statistics.hits += 1
      return .image(image)
    }
    shelf.failed.remove(index)
    let waiter = FrameWaiter()
    demand.awaited = (index, waiter)
    return .waits(waiter)
  }

  private mutating func shelf(of source: any FrameSource, for player: Int) -> FrameCache? {
    guard let known = players[player] else { return nil }
    if let id = known.shelf { return shelves[id] }
    let identity = source.identity
    let id: Int
    if let known = shelfIDs[identity] {
      id = known
    } else {
      id = makeID()
      shelfIDs[identity] = id
      shelves[id] = FrameCache(id: id, source: source)
    }
    players[player] = Player(shelf: id)
    return shelves[id]
  }

  // MARK: Decoding

  /// Returns the next frame to decode for a player, unless a decode of its animation is under way.
  mutating func start(for player: Int) -> (FrameCache, FrameRequest)? {
    guard let id = players[player]?.shelf, let shelf = shelves[id], shelf.running == nil else { return nil }
    shelf.running = nextOrder(shelf)
    return shelf.running.map { (shelf, $0) }
  }

  /// A frame is there, or there will be none. Returns those who waited for it, and what is to be decoded next.
  mutating func finish(
    _ order: FrameRequest, _ result: Result<Image, any Error>
  ) -> ([FrameWaiter], FrameRequest?) {
    add(-order.reserved)
    guard let shelf = shelves[order.shelf] else { return ([], nil) }
    statistics.decodes += 1
    switch result {
    case .success(let image):
      shelf.failed.remove(order.index)
      shelf.frameByteCount = image.bitmap.byteCount
      if order.reserved > 0, shelf.frames[order.index] == nil, reserve(image.bitmap.byteCount) {
        shelf.frames[order.index] = image
        statistics.frames += 1
        uses.use(Place(shelf: shelf.id, index: order.index))
      }
    case .failure:
      shelf.failed.insert(order.index)
    }
    var waiters: [FrameWaiter] = []
    for (player, demand) in shelf.claims where demand.awaited?.index == order.index {
      if let waiter = demand.awaited?.waiter { waiters.append(waiter) }
      shelf.claims[player]?.awaited = nil
    }
    shelf.running = nextOrder(shelf)
    if shelf.running == nil { shelf.task = nil }
    return (waiters, shelf.running)
  }

  private mutating func nextOrder(_ shelf: FrameCache) -> FrameRequest? {
    let players = shelf.claims.keys.sorted()
    let share = shelf.share(of: part)
    for player in players { shelf.claims[player]?.refill(shelf, share: share) }
    for player in players {
      if let awaited = shelf.claims[player]?.awaited?.index {
        return order(for: awaited, of: player, shelf)
      }
    }
    for player in players {
      guard let index = shelf.claims[player]?.batch.first else { continue }
      if let order = stored(index, shelf) { return order }
      shelf.claims[player]?.batch = []
    }
    return nil
  }

  /// Returns the frames to decode for a waiting player: the awaited one, with those before it if there is room.
  private mutating func order(for awaited: Int, of player: Int, _ shelf: FrameCache) -> FrameRequest {
    let batch = shelf.claims[player]?.batch ?? []
    if batch.contains(awaited), let first = batch.first, first != awaited {
      if let order = stored(first, shelf) { return order }
      shelf.claims[player]?.batch = []
    }
    if shelf.isWanted(awaited, in: part), let order = stored(awaited, shelf) { return order }
    return FrameRequest(shelf: shelf.id, source: shelf.source, index: awaited, reserved: 0)
  }

  /// An order with room for its frame, if there is any.
  private mutating func stored(_ index: Int, _ shelf: FrameCache) -> FrameRequest? {
    guard let byteCount = shelf.frameByteCount ?? shelf.source.frameByteCount, reserve(byteCount) else {
      return nil
    }
    return FrameRequest(shelf: shelf.id, source: shelf.source, index: index, reserved: byteCount)
  }

  // MARK: Budget

  private mutating func reserve(_ byteCount: Int) -> Bool {
    guard byteCount > 0, byteCount <= byteLimit, makeRoom(for: byteCount) else { return false }
    add(byteCount)
    return true
  }

  /// Evicts frames that no player will show soon, until there is room.
  private mutating func makeRoom(for byteCount: Int) -> Bool {
    while byteCount > byteLimit - statistics.bytes {
      let (shelves, part) = (shelves, part)
      let oldest = uses.takeOldest { place in shelves[place.shelf]?.isWanted(place.index, in: part) != true }
      guard let oldest, let image = shelves[oldest.shelf]?.frames.removeValue(forKey: oldest.index) else {
        return false
      }
      drop(image, from: oldest)
    }
    return true
  }

  /// Holds no more than this from now on. What is being decoded comes on top, until it is there.
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

  /// Throws out all frames; what is wanted is decoded again.
  mutating func removeAll() {
    for (id, shelf) in shelves {
      for (index, image) in shelf.frames { drop(image, from: Place(shelf: id, index: index)) }
      shelf.frames = [:]
    }
  }

  mutating func takeGarbage() -> [Image] {
    defer { garbage = [] }
    return garbage
  }

  /// Bytes of the frames that are there, counted one by one.
  var countedBytes: Int {
    shelves.values.reduce(0) { sum, shelf in
      sum + (shelf.running?.reserved ?? 0) + shelf.frames.values.reduce(0) { $0 + $1.bitmap.byteCount }
    }
  }
}
