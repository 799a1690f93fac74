extension ImagePipeline {
  /// Runs a request, and reports it if there are observers.
  nonisolated func watched<Value>(
    _ kind: ImagePipeline.ObservedRequest.Kind, _ request: ImageRequest,
    outcome: (Value) -> ImagePipeline.RequestOutcome,
    _ body: () async throws -> Value
  ) async throws -> Value {
    guard let watch = context.watch else { return try await body() }
    let told = RequestInstrumentation(watch, kind, request)
    told.begin()
    do {
      let value = try await RequestInstrumentation.within(told, body)
      told.end(outcome(value))
      return value
    } catch {
      told.end(ImagePipeline.RequestOutcome(error))
      throw error
    }
  }
}
