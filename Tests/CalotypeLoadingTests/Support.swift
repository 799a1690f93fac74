import CalotypeLoading
import CalotypeTestKit
import FoundationEssentials
import Testing

/// Bytes that no two offsets or seeds share, so that a lost or moved chunk shows.
func pattern(_ count: Int, seed: UInt64 = 1) -> Data {
  var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  var bytes = [UInt8](repeating: 0, count: count)
  for index in bytes.indices {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    bytes[index] = UInt8(truncatingIfNeeded: state)
  }
  return Data(bytes)
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
