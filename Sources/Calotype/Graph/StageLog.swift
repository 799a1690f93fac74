import CalotypeLoading
import CalotypeSupport

/// The durations of a job's stages and the outcomes of its stores; written by the job, read by all holders
/// of its value.
final class StageLog: Sendable {
  private struct State {
    var timings = StageTimings()
    var stores = ImageResponse.StoreOutcomes()
    /// The log of the job that provided the original: it may still be storing that.
    var source: StageLog?
  }

  private let state = Lock(State())

  var timings: StageTimings { state.withLock { $0.timings } }

  var stores: ImageResponse.StoreOutcomes {
    var (stores, source) = state.withLock { ($0.stores, $0.source) }
    if let source { stores.original = source.stores.original }
    return stores
  }

  func change(_ body: (inout StageTimings) -> Void) { state.withLock { body(&$0.timings) } }
  func changeStores(_ body: (inout ImageResponse.StoreOutcomes) -> Void) {
    state.withLock { body(&$0.stores) }
  }

  /// Adds the log of another job that worked for this one.
  func add(_ other: StageLog) {
    if other === self { return }
    let timings = other.timings
    state.withLock { state in
      state.timings.add(timings)
      state.source = other
    }
  }
}

/// The durations of stages, without memory of their own: there is a log for each image that is made.
struct StageTimings: Sendable {
  private var nanoseconds = SIMD8<Int64>()
  private var isCompleted = SIMDMask<SIMD8<Int64>>()
  /// The measurements of the loader.
  var load: LoadResponse.Metrics?

  /// The duration of a stage; zero if it was skipped.
  subscript(stage: ImagePipeline.Stage) -> Duration {
    get { .nanoseconds(nanoseconds[stage.place]) }
    set {
      nanoseconds[stage.place] = newValue.nanosecondCount
      isCompleted[stage.place] = true
    }
  }

  /// The time that making pixels took: decoding and transforms, without waits.
  var making: Duration { self[.decode] + self[.transform] }

  /// Adds the durations of another log.
  mutating func add(_ other: StageTimings) {
    nanoseconds &+= other.nanoseconds
    isCompleted .|= other.isCompleted
    load = other.load ?? load
  }

  /// The timings as they are delivered.
  var delivered: ImageResponse.Timings {
    var timings = ImageResponse.Timings()
    for stage in ImagePipeline.Stage.allCases where isCompleted[stage.place] {
      timings.stages[stage] = self[stage]
    }
    timings.load = load
    return timings
  }
}

extension ImagePipeline.Stage {
  /// The place of the stage among the timings.
  fileprivate var place: Int {
    switch self {
    case .read: 0
    case .load: 1
    case .wait: 2
    case .decode: 3
    case .transform: 4
    case .encode: 5
    case .store: 6
    }
  }
}
