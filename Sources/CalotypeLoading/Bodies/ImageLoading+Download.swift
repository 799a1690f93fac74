import CalotypeSupport
public import FoundationEssentials
import Glibc

extension ImageLoading {
  /// Loads the body into a file, up to ``LoadRequest/byteLimit``, holding only a part in memory.
  ///
  /// The file appears, or is replaced, when the body is complete. Until then the bytes are in a hidden file beside it,
  /// which is removed when the load fails or is cancelled. A 304 leaves the file unchanged.
  ///
  /// `progress` is called as by ``data(for:progress:)``. The body of the returned response is consumed.
  ///
  /// - Throws: ``LoadingError``, among them ``LoadingError/fileUnwritable(_:reason:)``; `CancellationError`.
  @discardableResult public func download(
    _ request: LoadRequest, to file: URL, progress: (LoadProgress) -> Void = { _ in }
  ) async throws -> LoadResponse {
    let response = try await load(request)
    if response.isNotModified { return response }
    if let declared = response.expectedLength, declared > request.byteLimit {
      throw LoadingError.tooLarge(request.source, limit: request.byteLimit, declared: declared)
    }
    let destination = try await Destination(file)
    do {
      var count = 0
      var gate = ProgressThrottle(step: request.progressStep)
      for try await chunk in response.body {
        guard chunk.count <= request.byteLimit - count else {
          throw LoadingError.tooLarge(
            request.source, limit: request.byteLimit, declared: response.expectedLength)
        }
        try await destination.write(chunk, at: count)
        count += chunk.count
        if gate.admits(count, of: response.expectedLength) {
          progress(LoadProgress(received: count, expected: response.expectedLength))
        }
      }
      if count == 0 { throw LoadingError.emptyBody(request.source) }
      try await destination.commit()
      if gate.owesTheEnd(count, of: response.expectedLength) {
        progress(LoadProgress(received: count, expected: count))
      }
    } catch {
      await destination.abandon()
      throw error
    }
    return response
  }
}

/// A file that is written beside its destination and renamed at the end.
private struct Destination: Sendable {
  private let url: URL
  private let temporary: String
  private let file: FileDescriptor

  init(_ url: URL) async throws {
    self.url = url
    let name = ".calotype-\(UUID().uuidString).part"
    let path = url.deletingLastPathComponent().appending(path: name).path
    temporary = path
    file = try await Self.reporting(url) {
      try FileDescriptor(path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o666)
    }
  }

  func write(_ chunk: Data, at offset: Int) async throws {
    try await Self.reporting(url) { [file] in try file.write(chunk, at: offset) }
  }

  func commit() async throws {
    try await Self.reporting(url) { [url, temporary] in
      if rename(temporary, url.path) != 0 { throw SystemError(errno) }
    }
  }

  /// Runs on the calling thread, because a cancelled task cannot reach the executor. It blocks only for one system
  /// call.
  func abandon() async {
    unlink(temporary)
  }

  private static func reporting<Result: Sendable>(
    _ url: URL, _ body: @Sendable () throws -> Result
  ) async throws -> Result {
    do {
      return try await SpoolFile.executor.run(body)
    } catch let error as SystemError {
      throw LoadingError.fileUnwritable(url, reason: error.reason)
    }
  }
}
