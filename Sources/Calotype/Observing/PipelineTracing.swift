/// Makes a span of each request and of each stage of its jobs, for distributed tracing.
///
/// Set one as ``ImagePipeline/Configuration/tracer``. `DistributedTracing` of the module `CalotypeObservability` hands spans
/// to any backend of swift-distributed-tracing.
public protocol PipelineTracing: Sendable {
  /// Starts a span within the current one, if there is one.
  ///
  /// - Parameters:
  ///   - name: `calotype.request`, or `calotype.` and one of ``ImagePipeline/Stage``.
  ///   - isRemote: Whether it asks another system, as a load does.
  ///   - attributes: What is known at the start, under the names of OpenTelemetry where it has some.
  func startSpan(_ name: String, isRemote: Bool, attributes: [String: String]) -> any PipelineSpan
}

/// A span that is under way. It ends once.
public protocol PipelineSpan: Sendable {
  /// Runs `body` with this span as the current one.
  func withCurrent<Result>(_ body: () async throws -> Result) async rethrows -> Result
  /// Adds a text.
  func set(_ name: String, to value: String)
  /// Adds a number.
  func set(_ name: String, to value: Int)
  /// Adds a truth.
  func set(_ name: String, to value: Bool)
  /// Marks the span as failed. `code` is ``CalotypeError/code``, or `other`.
  func fail(code: String)
  /// Ends the span.
  func end()
}
