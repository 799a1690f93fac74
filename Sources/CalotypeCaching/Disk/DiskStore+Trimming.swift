import FoundationEssentials
import Glibc

extension DiskStore {
  /// All records, as the file system lists them.
  func scan() throws(CachingError) -> [EvictionPlan.Entry] {
    var entries: [EvictionPlan.Entry] = []
    var failure: FileSystemError?
    for fanOut in CacheLayout.fanOut {
      do throws(FileSystemError) {
        try files.list(layout.fanOutFolder(fanOut)) { name, status in
          guard status.kind == .regular, let digest = CacheLayout.digest(fanOut: fanOut, name: name) else {
            return
          }
          entries.append(
            EvictionPlan.Entry(
              digest: digest, size: status.size, accessed: status.modified, identity: status.identity))
        }
      } catch {
        // A link or file in the place of a folder holds nothing of ours. A folder that cannot be read must not stop
        // the limits from holding for all others.
        if error.code == ENOTDIR || error.code == ELOOP { continue }
        failure = error
      }
    }
    if entries.isEmpty, let failure { throw CachingError(failure) }
    return entries
  }

  /// Removes stale temporary files, records that are too old, and as many others as the limits want.
  ///
  /// - Parameter freeing: Bytes to free in any case, for a device that is full.
  func trim(freeing: Int = 0) throws(CachingError) -> TrimReport {
    let time = now()
    var report = TrimReport()
    report.staleTemporaries = try removeTemporaries { names.isStale($0, modified: $1, now: time) }
    let rules = EvictionPlan.Rules(
      maxAge: configuration.maxAge?.seconds, byteLimit: max(0, configuration.byteLimit),
      countLimit: max(0, configuration.countLimit), lowMarks: configuration.lowMarks, freeing: freeing)
    let plan = EvictionPlan(try scan(), rules: rules, now: time)
    report.bytes = plan.keptBytes
    report.count = plan.keptCount
    for entry in plan.expired {
      if try evict(entry, &report) { report.expired += 1 }
    }
    for entry in plan.evicted {
      if try evict(entry, &report) { report.evicted += 1 }
    }
    return report
  }

  /// Removes a record unless it was replaced or read since the scan.
  private func evict(
    _ entry: EvictionPlan.Entry, _ report: inout TrimReport
  ) throws(CachingError) -> Bool {
    let path = layout.record(entry.digest)
    do throws(FileSystemError) {
      guard let status = try files.status(path) else { return false }
      guard status.identity == entry.identity, status.modified == entry.accessed else {
        report.bytes += status.size
        report.count += 1
        return false
      }
      guard try files.remove(path) else { return false }
      report.freedBytes += entry.size
      return true
    } catch {
      throw CachingError(error)
    }
  }

  /// Removes all records, and the temporary files of writers that are gone.
  ///
  /// - Returns: How many records.
  func removeAll() throws(CachingError) -> Int {
    let time = now()
    _ = try removeTemporaries { names.isStale($0, modified: $1, now: time) }
    var removed = 0
    for entry in try scan() {
      do throws(FileSystemError) {
        if try files.remove(layout.record(entry.digest)) { removed += 1 }
      } catch {
        throw CachingError(error)
      }
    }
    return removed
  }

  private func removeTemporaries(
    where isStale: (_ name: String, _ modified: Date) -> Bool
  ) throws(CachingError) -> Int {
    var stale: [String] = []
    do throws(FileSystemError) {
      try files.list(layout.temporaries) { name, status in
        if status.kind == .regular, isStale(name, status.modified) { stale.append(name) }
      }
      var removed = 0
      for name in stale where try files.remove("\(layout.temporaries)/\(name)") { removed += 1 }
      return removed
    } catch {
      throw CachingError(error)
    }
  }
}
