import CalotypeSupport
import FoundationEssentials
import Glibc

/// Puts changes of a ``DiskCache`` on the device: files before the folders with their names, and those before the
/// folders above them.
///
/// Needs no lock of the folder. The order is right whatever is written meanwhile: journal, index and the folder with
/// their names, so that a pair that belongs together has all that was noted before, and any other pair is made anew.
struct DiskSync: Sendable {
  let layout: CacheLayout
  let files: any FileSystem

  /// Records from which on the whole file system is synchronized in one call.
  static var manyRecords: Int { 256 }

  /// How it went.
  struct Outcome {
    /// The first failure.
    var failure: FileSystemError?
    /// Records the device did not take. The system reports that once and takes their pages for written afterwards, so
    /// that a second attempt would succeed and confirm nothing.
    var lostRecords: Set<Digest256> = []
    /// Whether the device did not take the journal or the index.
    var hasLostBooks = false
  }

  /// Synchronizes `changes`; blocks for as long as the device takes.
  func carryOut(_ changes: UnsyncedChanges) -> Outcome {
    var outcome = Outcome()
    if changes.records.count >= Self.manyRecords {
      do throws(FileSystemError) {
        if try files.synchronizeAll(at: layout.version) { return outcome }
      } catch {
        // It may be about a file of somebody else: each of ours tells.
      }
    }
    for digest in changes.records where !attempt(layout.record(digest), &outcome) {
      outcome.lostRecords.insert(digest)
    }
    for number in changes.fanOuts { attempt(layout.fanOutFolder(CacheLayout.fanOut[number]), &outcome) }
    for path in [layout.journal, layout.index] where !attempt(path, &outcome) { outcome.hasLostBooks = true }
    for folder in [layout.version] + layout.holders + changes.folders.sorted() { attempt(folder, &outcome) }
    do throws(FileSystemError) {
      _ = try files.synchronize(CacheLayout.parent(of: layout.folder))
    } catch {
      // Another process may have made the folder, in one that we must not read.
      if error.code != EACCES, error.code != EPERM { outcome.failure = outcome.failure ?? error }
    }
    return outcome
  }

  /// - Returns: Whether it succeeded, or there is nothing of that name any more.
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
