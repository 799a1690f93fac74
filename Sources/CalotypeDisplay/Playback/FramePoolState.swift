import Calotype
import CalotypeImaging

/// What a pool of frames holds, for whom, and what is to be decoded next. Does nothing itself.
///
/// Frames that somebody will show soon stay; all others go when there is no room, what was used the longest ago first.
/// Frames that are being decoded count as those that are there.
struct FramePoolState {
  private struct Place: Hashable {
    let shelf: Int
    let index: Int
  }

  private struct Player {
    var shelf: Int?
  }

  /// Bytes to hold at most, now.
  private var byteLimit: Int
  private(set) var statistics = FramePool.Statistics()
  private var shelves: [Int: FrameCache] = [:]
  private var shelfIDs: [FrameIdentity: Int] = [:]
  /// Those who may want something, and the shelf they want it of.
  private var players: [Int: Player] = [:]
  private var uses = LRUOrder<Place>()
  private var nextID = 0
  /// What was thrown out, to be freed where nobody waits.
  private var garbage: [Image] = []

  init(byteLimit: Int) {
    self.byteLimit = max(0, byteLimit)
  }

  /// What becomes of a request.
  enum Answer {
    case image(Image)
    case waits(FrameWaiter)
    /// Nothing is to be decoded for this player.
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

  /// What is to be ended when a player has gone.
  struct Ending {
    var waiter: FrameWaiter?
    /// Who decodes what nobody wants any more.
    var task: Task<Void, Never>?
    /// What nobody plays any more.
    var source: (any FrameSource)?
  }

  /// Forgets a player; when it was the last one, all frames of the animation.
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

  /// Whether there are players of what the frames of a source are decoded from, with whatever transforms.
  func isPlayed(_ source: any FrameSource) -> Bool {
    let origin = source.identity.origin
    return shelves.values.contains { $0.source.identity.origin == origin }
  }

  /// Bytes that each player may count on.
  private var part: Int { byteLimit / max(1, players.count) }

  /// How many frames of the animation a player may count on.
  func share(of source: any FrameSource) -> Int {
    let known = shelfIDs[source.identity].flatMap { shelves[$0]?.frameByteCount }
    return source.share(of: part, frameByteCount: known)
  }

  /// A player wants these frames next, and one of them now.
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

  /// What a player's shelf has to decode, if nobody is at it.
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

  /// What is decoded for one who waits: what comes before it in one go with it, if there is room for that.
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

  /// Throws out what nobody will show soon, until there is room.
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
