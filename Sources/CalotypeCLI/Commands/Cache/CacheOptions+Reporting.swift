import ArgumentParser
import Calotype
import FoundationEssentials

extension CacheOptions {
  /// Runs `body`, and reports a failure of the cache like all other failures of commands.
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
