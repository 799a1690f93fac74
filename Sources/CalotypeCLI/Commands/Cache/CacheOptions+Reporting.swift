import ArgumentParser
import Calotype
import FoundationEssentials

extension CacheOptions {
  /// Runs `body`, and reports a failure of the cache as all commands report failures.
  ///
  /// - Throws: `ExitCode` 1 when `body` throws.
  func reportingFailures(asJSON json: Bool, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch {
      Failure(source: configuration.folder.path, error: error).report(asJSON: json)
      throw ExitCode(1)
    }
  }
}
