/// Creates a span for each request and for each stage of its jobs, for distributed tracing.
///
/// Set one as ``ImagePipeline/Configuration/tracer``. `DistributedTracing` of the module
/// `CalotypeObservability` passes spans to any backend of swift-distributed-tracing.
public protocol PipelineTracing: Sendable {
  /// Starts a span within the current one, if there is one.
  ///
  /// - Parameters:
  ///   - name: `calotype.request`, or `calotype.` and one of ``ImagePipeline/Stage``.
  ///   - isRemote: Whether the work calls another system, as a load does.
  ///   - attributes: The attributes known at the start, under the names of OpenTelemetry where they exist.
  func startSpan(_ name: String, isRemote: Bool, attributes: [String: String]) -> any PipelineSpan
}

/// A span in progress. It ends once.
public protocol PipelineSpan: Sendable {
  /// Runs `body` with this span as the current one.
  func withCurrent<Result>(_ body: () async throws -> Result) async rethrows -> Result
  /// Sets a string attribute.
  func set(_ name: String, to value: String)
  /// Sets a numeric attribute.
  func set(_ name: String, to value: Int)
  /// Sets a Boolean attribute.
  func set(_ name: String, to value: Bool)
  /// Marks the span as failed. `code` is ``CalotypeError/code``, or `other`.
  func fail(code: String)
  /// Ends the span.
  func end()
}
