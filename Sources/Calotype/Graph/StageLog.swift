import CalotypeSupport

/// What the stages of a job took and what became of its results; written by the job, read by whoever has its value.
final class StageLog: Sendable {
  private struct State {
    var timings = ImageResponse.Timings()
    var stores = ImageResponse.StoreOutcomes()
    /// Of the job that the original is from: it may still be storing that.
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

  /// Takes over what others did for the job.
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
