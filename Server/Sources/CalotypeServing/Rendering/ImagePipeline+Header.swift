import Calotype
import CalotypeImaging
import CalotypePlanning
import FoundationEssentials

extension ImagePipeline {
  /// Returns the header of a source. Another process may read it, which a thread of the pipeline waits for.
  ///
  /// - Throws: `ImagingError`; `PipelineError`; `CancellationError`.
  nonisolated func header(of data: Data, _ rules: ServingRules) async throws -> ImageInfo {
    var limits = configuration.decodeLimits
    // The planner compares the source with the limits of the server, or of the URL.
    limits.maxPixels = max(limits.maxPixels, rules.planner.policy.limits.sourcePixels)
    limits.maxBytes = max(limits.maxBytes, data.count)
    return try await compute(priority: .high) { [limits, coders = configuration.coders] in
      try coders.probe(data, limits: limits)
    }
  }
}
