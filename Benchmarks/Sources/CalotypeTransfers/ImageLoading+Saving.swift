import BenchmarkHarness
import CalotypeLoading
import FoundationEssentials
import Glibc

extension ImageLoading {
  /// Loads a body into a file and returns its length.
  ///
  /// All that the benchmarks know of downloads to files is in here.
  func save(_ request: LoadRequest, to path: String) async throws -> Int {
    let response = try await load(request)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw TransferRun.Failure(description: "\(path): \(errno)") }
    defer { close(descriptor) }
    var count = 0
    for try await chunk in response.body {
      let written = chunk.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard written == chunk.count else { throw TransferRun.Failure(description: "\(path): \(errno)") }
      count += written
    }
    return count
  }
}
