import CalotypeLoading
import FoundationEssentials
import Synchronization

/// The bytes of one entry.
final class TarBody: LoadBody.Producing {
  /// Bytes per read, and the most that is in memory.
  static let chunkSize = 256 << 10

  private struct State {
    var file: TarFile?
    var offset = 0
  }

  private let entry: TarIndex.Entry
  private let url: URL
  private let reader: TarReader
  private let state: Mutex<State>

  init(_ file: TarFile, entry: TarIndex.Entry, url: URL, reader: TarReader) {
    self.entry = entry
    self.url = url
    self.reader = reader
    state = Mutex(State(file: file))
  }

  func next() async throws -> Data? {
    try Task.checkCancellation()
    let (file, offset) = state.withLock { ($0.file, $0.offset) }
    let count = min(entry.size - offset, Self.chunkSize)
    guard let file, count > 0 else {
      cancel()
      return nil
    }
    let chunk = try await reader.read(file, at: entry.offset + offset, count: count)
    guard chunk.count == count else {
      cancel()
      throw LoadingError.truncatedBody(url, received: offset + chunk.count, expected: entry.size)
    }
    state.withLock { $0.offset = offset + count }
    return chunk
  }

  func cancel() {
    // Out of the lock: the last reference closes the file.
    let file = state.withLock { state -> TarFile? in
      defer { state.file = nil }
      return state.file
    }
    _ = file
  }
}
