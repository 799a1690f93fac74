import CalotypeLoading
import CalotypeTestKit
import FoundationEssentials
import Testing

/// Bytes that no two offsets or seeds share, so that a lost or moved chunk shows.
func pattern(_ count: Int, seed: UInt64 = 1) -> Data {
  var generator = SeededGenerator(seed: seed)
  return Data((0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
}

/// A loader with the default configuration but for some changes.
func curlLoader(_ change: (inout CurlLoader.Configuration) -> Void) -> CurlLoader {
  var configuration = CurlLoader.Configuration()
  change(&configuration)
  return CurlLoader(configuration)
}

/// The error of `body`, if it is one of loading.
func loadingError(_ body: () async throws -> Void) async -> LoadingError? {
  do {
    try await body()
    return nil
  } catch let error as LoadingError {
    return error
  } catch {
    Issue.record("not a LoadingError: \(error)")
    return nil
  }
}

/// Whether `task` ended as a cancelled one.
func wasCancelled<Value: Sendable>(_ task: Task<Value, any Error>) async -> Bool {
  if case .failure(let error) = await task.result { error is CancellationError } else { false }
}
