import BenchmarkHarness
import CalotypeLoading
import FoundationEssentials

/// What a large download to a file takes at its peak.
///
/// A body of one byte goes first, so that all that lasts is there: the loader, its thread, its connection.
struct DownloadPeak {
  let address: String
  let folder: String

  /// Loads `warm-up` and `body`, and removes the files.
  func measure() async throws -> PeakMemory {
    let loader = CurlLoader()
    _ = try await save("warm-up", with: loader)
    return try await PeakMemory.measure {
      let count = try await save("body", with: loader)
      guard count == 1 << 30 else { throw TransferRun.Failure(description: "\(count) bytes") }
      // None of it stays in memory.
      return 0
    }
  }

  private func save(_ name: String, with loader: CurlLoader) async throws -> Int {
    guard let url = URL(string: "\(address)/\(name)") else { throw TransferRun.Failure(description: address) }
    let target = URL(filePath: "\(folder)/\(name).saved")
    defer { try? FileManager.default.removeItem(at: target) }
    var received = 0
    let request = LoadRequest(url: url, byteLimit: 2 << 30)
    try await loader.download(request, to: target) { received = $0.received }
    return received
  }
}
