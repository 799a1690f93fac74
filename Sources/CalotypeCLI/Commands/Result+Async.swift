extension Result where Failure == any Error, Success: Sendable {
  /// Captures the outcome of an asynchronous body.
  init(catching body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
