import CalotypeSupport
import FoundationEssentials

/// Expired records: a sweep of the index finds them now and then, and removes them in steps. Called within `withLock`.
extension DiskStore {
  /// A search of the index for expired records.
  struct Sweep {
    /// The position in the index where it continues.
    var next = 0
    /// Candidates that were found.
    var suspects: [IndexEntry] = []
  }

  private static var interval: Double { 60 }
  private static var stepPlaces: Int { 8192 }

  /// Begins a sweep when one is due, and takes a step of it.
  func sweepSome() throws(FileSystemError) {
    if sweep == nil {
      let time = now()
      guard lastSweep.map({ abs(time.timeIntervalSince($0)) >= Self.interval }) ?? true else { return }
      lastSweep = time
      sweep = Sweep()
    }
    try stepSweep(places: Self.stepPlaces, atMost: Self.stepCount)
  }

  /// Removes all expired records.
  func sweepAll() throws(FileSystemError) {
    lastSweep = now()
    sweep = Sweep()
    while sweep != nil { try stepSweep(places: .max, atMost: .max) }
  }

  private func stepSweep(places: Int, atMost most: Int) throws(FileSystemError) {
    guard var current = sweep.take() else { return }
    // Failures are left to the next sweep.
    if current.suspects.isEmpty { find(&current, places: places) }
    let end = timer.elapsed + Self.stepTime
    var removed = 0
    while removed < most, let suspect = current.suspects.popLast() {
      try removeIfExpired(suspect)
      removed += 1
      if most != .max, timer.elapsed >= end { break }
    }
    if !current.suspects.isEmpty || index.read({ current.next < $0.count }) { sweep = current }
  }

  /// The latest time of an access that is too old, the latest time of an expiry that has passed, and the latest
  /// possible time of an access; a later one was recorded under a wrong clock.
  private var bounds: (accessed: Int64, expires: Int64, latest: Int64) {
    let time = now()
    let oldest = configuration.maxAge.map { time.addingTimeInterval(-$0.seconds).microseconds } ?? .min
    let latest = time.addingTimeInterval(max(Self.interval, configuration.touchInterval.seconds)).microseconds
    return (oldest, time.microseconds, latest)
  }

  /// Whether every record expires at a time that its header tells. An index that was rebuilt does not know it.
  private var mustKnowExpiry: Bool { configuration.ageOrigin != .lastAccess && configuration.maxAge != nil }

  private func find(_ sweep: inout Sweep, places: Int) {
    let (bounds, mustKnowExpiry) = (bounds, mustKnowExpiry)
    sweep.suspects = index.read { table in
      var suspects: [IndexEntry] = []
      let end = places < table.count - sweep.next ? sweep.next + places : table.count
      table.forEach(from: sweep.next, to: end) {
        if $0.accessed < bounds.accessed || $0.expires <= bounds.expires || $0.accessed > bounds.latest
          || (mustKnowExpiry && $0.expires == .max)
        {
          suspects.append($0)
        }
      }
      sweep.next = end
      return suspects
    }
  }

  private func removeIfExpired(_ suspect: IndexEntry) throws(FileSystemError) {
    // Replaced or removed since.
    guard index.read({ $0[suspect.digest] }) == suspect else { return }
    let path = layout.record(suspect.digest)
    // A folder in the place of a record belongs to another program, and counts as removed.
    if let status = try files.status(path), status.kind != .folder {
      let (accessed, bounds) = (status.modified.microseconds, bounds)
      var entry = suspect
      if mustKnowExpiry, entry.expires == .max, let known = try reader.storedEntry(suspect.digest)?.entry {
        entry.expire(at: known.metadata.expires)
        entry.expire(at: configuration.storedExpiry(of: known.created))
      }
      if entry.expires > bounds.expires, accessed >= bounds.accessed {
        entry.accessed = accessed
        if accessed > bounds.latest {
          // It would never expire. From now on it does, as if it had just been read.
          let time = now()
          try files.touch(path, modified: time)
          entry.accessed = time.microseconds
        }
        index.update([entry])
        return
      }
      if try removeFiles(of: suspect) { tally.expired += 1 }
    }
    try noteRemoval(of: suspect.digest)
  }
}
