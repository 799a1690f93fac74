import CalotypeSupport

/// The durations of a job's stages and the outcomes of its stores; written by the job, read by all holders
/// of its value.
final class StageLog: Sendable {
  private struct State {
    var timings = ImageResponse.Timings()
    var stores = ImageResponse.StoreOutcomes()
    /// The log of the job that provided the original: it may still be storing that.
    var source: StageLog?
  }

  private let state = Lock(State())

  var timings: ImageResponse.Timings { state.withLock { $0.timings } }

  var stores: ImageResponse.StoreOutcomes {
    var (stores, source) = state.withLock { ($0.stores, $0.source) }
    if let source { stores.original = source.stores.original }
    return stores
  }

  func change(_ body: (inout ImageResponse.Timings) -> Void) { state.withLock { body(&$0.timings) } }
  func changeStores(_ body: (inout ImageResponse.StoreOutcomes) -> Void) {
    state.withLock { body(&$0.stores) }
  }

  /// Adds the log of another job that worked for this one.
  func add(_ other: StageLog) {
    if other === self { return }
    let timings = other.timings
    state.withLock { state in
      state.timings.stages.merge(timings.stages) { $0 + $1 }
      state.timings.load = timings.load ?? state.timings.load
      state.source = other
    }
  }
}
