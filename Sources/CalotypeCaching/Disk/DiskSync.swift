import CalotypeSupport
import FoundationEssentials
import Glibc

/// Synchronizes changes of a ``DiskCache`` with the device: files before the folders with their names, and those before
/// their parents.
///
/// It does not need the lock of the folder. The order is correct regardless of concurrent writes: journal, index and
/// the folder with their names, so that a matching pair includes all earlier notes, and a mismatched pair is rebuilt.
struct DiskSync: Sendable {
  let layout: CacheLayout
  let files: any FileSystem

  /// The number of records at which one call synchronizes the whole file system.
  static var manyRecords: Int { 256 }

  /// The outcome of a synchronization.
  struct Outcome {
    /// The first failure.
    var failure: FileSystemError?
    /// Records that the device refused. The kernel reports that once and then treats their pages as written, so a
    /// second attempt would succeed without meaning.
    var lostRecords: Set<Digest256> = []
    /// Whether the device refused the journal or the index.
    var hasLostIndex = false
  }

  /// Synchronizes `changes`; blocks for as long as the device takes.
  func carryOut(_ changes: UnsyncedChanges) -> Outcome {
    var outcome = Outcome()
    if changes.records.count >= Self.manyRecords {
      do throws(FileSystemError) {
        if try files.synchronizeAll(at: layout.version) { return outcome }
      } catch {
        // The error may concern a file of another program; the synchronization of each record reports its own errors.
      }
    }
    for digest in changes.records where !attempt(layout.record(digest), &outcome) {
      outcome.lostRecords.insert(digest)
    }
    // The device may have refused a file under its other name, of which the kernel tells only once.
    let isInDoubt = !outcome.lostRecords.isEmpty
    for (digest, checksum) in changes.payloads
    where !attempt(layout.payload(digest, checksum), &outcome) || isInDoubt {
      outcome.lostRecords.insert(digest)
    }
    for number in changes.fanOuts { attempt(layout.fanOutFolder(CacheLayout.fanOut[number]), &outcome) }
    for path in [layout.journal, layout.index] where !attempt(path, &outcome) { outcome.hasLostIndex = true }
    for folder in [layout.version] + layout.holders + changes.folders.sorted() { attempt(folder, &outcome) }
    do throws(FileSystemError) {
      _ = try files.synchronize(CacheLayout.parent(of: layout.folder))
    } catch {
      // Another process may have created the folder in a parent that this process may not read.
      if error.code != EACCES, error.code != EPERM { outcome.failure = outcome.failure ?? error }
    }
    return outcome
  }

  /// - Returns: Whether it succeeded, or there is no such file any more.
  @discardableResult
  private func attempt(_ path: String, _ outcome: inout Outcome) -> Bool {
    do throws(FileSystemError) {
      _ = try files.synchronize(path)
      return true
    } catch {
      outcome.failure = outcome.failure ?? error
      return false
    }
  }
}
