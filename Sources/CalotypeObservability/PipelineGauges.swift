import Calotype
import CoreMetrics

/// The gauges of a ``MetricsObserver``.
struct PipelineGauges: Sendable {
  private let gauges: [(gauge: Gauge, value: @Sendable (ImagePipeline.Sample) -> Int?)]

  init(prefix: String, factory: any MetricsFactory) {
    let values: [(String, @Sendable (ImagePipeline.Sample) -> Int?)] = [
      ("image_jobs", { $0.statistics.runningImageJobs }),
      ("source_jobs", { $0.statistics.runningSourceJobs }),
      ("waiting_loads", { $0.statistics.waitingLoads }),
      ("running_decodes", { $0.statistics.runningDecodes }),
      ("waiting_decodes", { $0.statistics.waitingDecodes }),
      ("decoded_bytes", { $0.statistics.decodedBytes }),
      ("encoded_bytes", { $0.statistics.encodedBytes }),
      ("arriving_bytes", { $0.statistics.arrivingBytes }),
      ("store_bytes", { $0.statistics.storeBytes }),
      ("held_bytes", { $0.statistics.heldBytes }),
      ("requests_under_way", { $0.statistics.requests }),
      ("refused_requests", { $0.statistics.refusedRequests }),
      ("running_loads", { $0.statistics.runningLoads }),
      ("waiting_encodes", { $0.statistics.waitingEncodes }),
      ("waiting_stores", { $0.statistics.waitingStores }),
      ("shed_stores", { $0.statistics.storesShed }),
      ("memory_cache_bytes", { $0.memory?.bytes }),
      ("memory_cache_images", { $0.memory?.count }),
      ("disk_cache_bytes", { $0.diskBytes }),
      ("sandbox_workers", { $0.statistics.sandbox?.workers }),
      ("sandbox_starts", { $0.statistics.sandbox?.starts }),
      ("sandbox_crashes", { $0.statistics.sandbox?.crashes }),
      ("sandbox_violations", { $0.statistics.sandbox?.violations }),
      ("sandbox_kills", { $0.statistics.sandbox?.kills }),
      ("sandbox_memory_kills", { $0.statistics.sandbox?.memoryKills }),
      ("sandbox_quarantined", { $0.statistics.sandbox?.quarantined }),
      ("sandbox_refusals", { $0.statistics.sandbox?.refusals }),
      ("sandbox_decoded_here", { $0.statistics.sandbox?.decodedHere }),
    ]
    gauges = values.map { name, value in (Gauge(label: "\(prefix)_\(name)", factory: factory), value) }
  }

  /// Sets those whose value is known.
  func set(_ sample: ImagePipeline.Sample) {
    for (gauge, value) in gauges {
      if let value = value(sample) { gauge.record(value) }
    }
  }
}
