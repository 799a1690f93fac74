/// The state of a prefetcher: the wanted requests of its sessions, the running ones, and the next one.
/// Pure: no tasks, no clocks.
///
/// A request is one item, shared by all sessions that want it. When the last of them leaves, a waiting item
/// is removed at once; a running item keeps its place until it has ended, and can no longer be joined.
/// one that runs keeps its place until it has ended, and is not joined any more.
struct PrefetchState {
  private struct Entry {
    let request: ImageRequest
    var sessions: [PrefetchSession]
    /// The running item, once it has started.
    var item: PrefetchItem?
  }

  var limit: Int
  let maxWaiting: Int
  var isPaused = false

  private var entries: [Int: Entry] = [:]
  private var ids: [ImageRequest: Int] = [:]
  private var line = PriorityQueue<Int>()
  private var lastID = 0
  private(set) var runningCount = 0

  init(limit: Int, maxWaiting: Int) {
    self.limit = max(1, limit)
    self.maxWaiting = max(1, maxWaiting)
  }

  var isEmpty: Bool { entries.isEmpty }
  var waitingCount: Int { line.count }
  var running: [PrefetchItem] { entries.values.compactMap(\.item) }

  /// Enqueues a request, or adds the session to those that want it already. Returns `false` if too many
  /// wait.
  mutating func add(_ request: ImageRequest, for session: PrefetchSession) -> Bool {
    if let id = ids[request] {
      entries[id]?.sessions.append(session)
      return true
    }
    guard line.count < maxWaiting else { return false }
    lastID += 1
    ids[request] = lastID
    entries[lastID] = Entry(request: request, sessions: [session])
    line.put(lastID, priority: 0)
    return true
  }

  /// Starts the next item that may run now.
  mutating func start(priority: ImageRequest.Priority) -> PrefetchItem? {
    guard !isPaused, runningCount < limit, let id = line.first(), let entry = entries[id] else { return nil }
    line.remove(id)
    let item = PrefetchItem(id: id, request: entry.request, priority: priority)
    entries[id]?.item = item
    runningCount += 1
    return item
  }

  /// Records the end of a run, and returns the sessions to notify.
  mutating func end(_ item: PrefetchItem) -> [PrefetchSession] {
    guard let entry = entries.removeValue(forKey: item.id) else { return [] }
    runningCount -= 1
    forget(item.id, entry.request)
    return entry.sessions
  }

  /// Removes a session from its requests, and returns the runs that no session wants any more.
  mutating func remove(_ session: PrefetchSession, from requests: [ImageRequest]) -> [PrefetchItem] {
    requests.compactMap { ids[$0] }.compactMap { id in
      entries[id]?.sessions.removeAll { $0 === session }
      return entries[id]?.sessions.isEmpty == true ? abandon(id) : nil
    }
  }

  /// Removes all sessions, and returns them and the runs.
  mutating func removeAll() -> ([PrefetchSession], [PrefetchItem]) {
    var sessions: [ObjectIdentifier: PrefetchSession] = [:]
    var abandoned: [PrefetchItem] = []
    for (id, entry) in entries {
      for session in entry.sessions { sessions[ObjectIdentifier(session)] = session }
      entries[id]?.sessions = []
      if let item = abandon(id) { abandoned.append(item) }
    }
    return (Array(sessions.values), abandoned)
  }

  private mutating func abandon(_ id: Int) -> PrefetchItem? {
    guard let entry = entries[id] else { return nil }
    forget(id, entry.request)
    if entry.item == nil {
      line.remove(id)
      entries[id] = nil
    }
    return entry.item
  }

  /// Forgets a request of an item, unless a successor has the request already.
  private mutating func forget(_ id: Int, _ request: ImageRequest) {
    if ids[request] == id { ids[request] = nil }
  }
}
