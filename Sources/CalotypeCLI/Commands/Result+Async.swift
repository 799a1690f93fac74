extension Result where Failure == any Error, Success: Sendable {
  /// What a body returns or throws.
  init(catching body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
