import Calotype
import FoundationEssentials

/// Carries out what callers have in mind, each with exactly one ending in the record.
struct SoakCaller: Sendable {
  let pipeline: ImagePipeline
  let origin: SoakOrigin
  let record: SoakRecord
  /// Bodies of those who bring their own.
  let uploads: [Data]

  /// Asks for a picture, and leaves when the plan says so.
  ///
  /// - Returns: How long it took, and whether there is a picture.
  @discardableResult
  func call(_ plan: SoakPlan) async -> (took: Duration, hasPicture: Bool) {
    let start = ContinuousClock.now
    let id = record.begin(plan)
    let result: Result<Image, any Error>
    if let leavesAfter = plan.leavesAfter {
      let task = Task { await image(plan) }
      try? await Task.sleep(for: leavesAfter)
      task.cancel()
      result = await task.value
    } else {
      result = await image(plan)
    }
    record.end(id, plan, result)
    return (start.duration(to: .now), (try? result.get()) != nil)
  }

  private func image(_ plan: SoakPlan) async -> Result<Image, any Error> {
    guard let source = source(of: plan) else { return .failure(CancellationError()) }
    let request = plan.request(source)
    do {
      guard plan.kind == .idle else { return .success(try await pipeline.image(for: request)) }
      return .success(try await imageOfIdleObserver(request, pause: .milliseconds(500 + plan.number % 2_000)))
    } catch {
      return .failure(error)
    }
  }

  private func source(of plan: SoakPlan) -> ImageSource? {
    guard plan.kind == .upload else { return origin.url(plan.kind, plan.number).map { .url($0) } }
    return .data(uploads[plan.picture.index], id: "\(plan.number)")
  }

  /// Reads one event, then none for a while, then the rest.
  private func imageOfIdleObserver(_ request: ImageRequest, pause: Duration) async throws -> Image {
    var events = pipeline.load(request).events.makeAsyncIterator()
    _ = try await events.next()
    try await Task.sleep(for: pause)
    while let event = try await events.next() {
      switch event {
      case .response(let response):
        return response.image
      case .refreshFailed(let error): throw error
      case .queued, .started, .progress, .preview, .confirmed: continue
      }
    }
    throw CancellationError()
  }
}
