public import Calotype
import CalotypeSupport
public import CoreMetrics

/// Counts and measures what a pipeline does, for any backend of swift-metrics.
///
/// | name | labels | |
/// | --- | --- | --- |
/// | `calotype_requests_total` | `source`, `outcome` | counter of requests that have ended |
/// | `calotype_request_duration_seconds` | `source`, `outcome` | timer of requests |
/// | `calotype_stage_duration_seconds` | `stage` | timer of stages, failed ones included |
/// | `calotype_loaded_bytes_total` | | counter of bytes that loaders delivered |
/// | `calotype_errors_total` | `code` | counter of requests that failed |
///
/// Gauges, whenever a sample is taken (`ImagePipeline.sample()`; `ImagePipeline.run()` does so by itself):
/// `calotype_requests_under_way`, `calotype_refused_requests`, `calotype_image_jobs`, `calotype_source_jobs`,
/// `calotype_running_loads`, `calotype_waiting_loads`, `calotype_running_decodes`, `calotype_waiting_decodes`,
/// `calotype_waiting_encodes`, `calotype_waiting_stores`, `calotype_shed_stores`, `calotype_held_bytes`,
/// `calotype_encoded_bytes`, `calotype_arriving_bytes`, `calotype_decoded_bytes`, `calotype_store_bytes`,
/// `calotype_memory_cache_bytes`, `calotype_memory_cache_images`, `calotype_disk_cache_bytes`.
///
/// `source` is one of `ImageResponse.Source`, or `none`; `outcome` is `succeeded`, `stale`, `failed` or `cancelled`;
/// `stage` is one of `ImagePipeline.Stage`; `code` is that of an error of this package, or `other`. Nothing else is a label, so
/// there are never more than some dozens of series.
public final class MetricsObserver: PipelineObserving {
  private struct Series {
    let count: Counter
    let duration: CoreMetrics.Timer
  }

  private struct Ending: Hashable {
    let source: ImageResponse.Source?
    let outcome: String
  }

  private let requests: [Ending: Series]
  private let stages: [ImagePipeline.Stage: CoreMetrics.Timer]
  private let loadedBytes: Counter
  private let gauges: PipelineGauges
  private let makeErrorCounter: @Sendable (_ code: String) -> Counter
  private let errors = Lock([String: Counter]())

  /// An observer that reports to a backend.
  ///
  /// - Parameters:
  ///   - prefix: What all names begin with.
  ///   - factory: The backend; that of the process if none is given.
  public init(prefix: String = "calotype", factory: any MetricsFactory = MetricsSystem.factory) {
    var endings: [Ending] = [
      Ending(source: nil, outcome: "failed"), Ending(source: nil, outcome: "cancelled"),
    ]
    for source in [ImageResponse.Source.memory, .disk, .diskOriginal, .loader] {
      for outcome in ["succeeded", "stale"] { endings.append(Ending(source: source, outcome: outcome)) }
    }
    requests = Dictionary(
      uniqueKeysWithValues: endings.map { ending in
        let labels = [("source", ending.source?.rawValue ?? "none"), ("outcome", ending.outcome)]
        let series = Series(
          count: Counter(label: "\(prefix)_requests_total", dimensions: labels, factory: factory),
          duration: CoreMetrics.Timer(
            label: "\(prefix)_request_duration_seconds", dimensions: labels, preferredDisplayUnit: .seconds,
            factory: factory))
        return (ending, series)
      })
    stages = Dictionary(
      uniqueKeysWithValues: ImagePipeline.Stage.allCases.map { stage in
        let timer = CoreMetrics.Timer(
          label: "\(prefix)_stage_duration_seconds", dimensions: [("stage", stage.rawValue)],
          preferredDisplayUnit: .seconds, factory: factory)
        return (stage, timer)
      })
    loadedBytes = Counter(label: "\(prefix)_loaded_bytes_total", factory: factory)
    gauges = PipelineGauges(prefix: prefix, factory: factory)
    makeErrorCounter = { code in
      Counter(label: "\(prefix)_errors_total", dimensions: [("code", code)], factory: factory)
    }
  }

  /// Counts the request and its error.
  public func requestFinished(
    _ request: ImagePipeline.ObservedRequest, outcome: ImagePipeline.RequestOutcome, duration: Duration
  ) {
    let ending: Ending
    switch outcome {
    case .succeeded(let success):
      ending = Ending(source: success.source, outcome: success.isStale ? "stale" : "succeeded")
    case .failed(let error):
      ending = Ending(source: nil, outcome: "failed")
      errorCounter(error.knownCode).increment()
    case .cancelled:
      ending = Ending(source: nil, outcome: "cancelled")
    }
    guard let series = requests[ending] else { return }
    series.count.increment()
    series.duration.recordNanoseconds(duration.nanosecondCount)
  }

  /// Measures the stage, and counts the bytes of a load.
  public func stageFinished(_ stage: ImagePipeline.ObservedStage, result: ImagePipeline.StageResult) {
    stages[stage.stage]?.recordNanoseconds(result.duration.nanosecondCount)
    if stage.stage == .load, let count = result.byteCount { loadedBytes.increment(by: count) }
  }

  /// Sets the gauges.
  public func sampled(_ sample: ImagePipeline.Sample) {
    gauges.set(sample)
  }

  private func errorCounter(_ code: String) -> Counter {
    if let counter = errors.withLock({ $0[code] }) { return counter }
    // Outside the lock, because it calls the backend, to which two of the same name are one.
    let counter = makeErrorCounter(code)
    errors.withLock { $0[code] = counter }
    return counter
  }
}
