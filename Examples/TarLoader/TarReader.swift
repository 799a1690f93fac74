import CalotypeLoading
import Dispatch
import FoundationEssentials

/// Reads archives, one thing after the other, where it may block: on a thread of its own instead of one of the few that
/// all tasks share.
actor TarReader {
  private let thread = TarThread()
  /// The one that was used last is at the end.
  private var indexes: [(path: String, version: TarFile.Version, index: TarIndex)] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// Opens an archive and finds an entry in it.
  func open(
    _ target: TarURL, roots: [String], limits: TarLimits
  ) throws -> (TarFile, TarIndex.Entry) {
    try Task.checkCancellation()
    let file = try TarFile(target, roots: roots)
    let index: TarIndex
    do {
      index = try self.index(of: file, limits: limits)
    } catch let damage as TarDamage {
      throw LoadingError.protocolError(target.url, reason: damage.reason)
    }
    guard let entry = index[target.entry] else { throw LoadingError.fileNotFound(target.url) }
    return (file, entry)
  }

  /// Bytes of an archive; fewer only at its end.
  func read(_ file: TarFile, at offset: Int, count: Int) throws -> Data {
    try Task.checkCancellation()
    return try file.read(at: offset, count: count)
  }

  private func index(of file: TarFile, limits: TarLimits) throws -> TarIndex {
    let known = indexes.firstIndex { $0.path == file.path }.map { indexes.remove(at: $0) }
    let index =
      if let known, known.version == file.version {
        known.index
      } else {
        try TarScanner.index(of: file, limits: limits)
      }
    indexes.append((file.path, file.version, index))
    if indexes.count > max(0, limits.archives) { indexes.removeFirst() }
    return index
  }
}

/// Runs the jobs of an actor on a queue of Dispatch, which has threads for work that blocks.
final class TarThread: SerialExecutor {
  private let queue = DispatchQueue(label: "TarLoader")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
