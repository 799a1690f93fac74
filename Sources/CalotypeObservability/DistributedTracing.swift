public import Calotype
public import Tracing

/// Spans of a pipeline for a backend of swift-distributed-tracing.
///
/// ```swift
/// configuration.tracer = DistributedTracing()
/// ```
public struct DistributedTracing: PipelineTracing {
  private let tracer: any Tracer

  /// - Parameter tracer: The backend; that of the process by default.
  public init(_ tracer: any Tracer = InstrumentationSystem.tracer) {
    self.tracer = tracer
  }

  /// Starts a span within the current one of the task.
  public func startSpan(_ name: String, isRemote: Bool, attributes: [String: String]) -> any PipelineSpan {
    let span = tracer.startSpan(name, context: .current ?? .topLevel, ofKind: isRemote ? .client : .internal)
    span.updateAttributes { all in
      for (name, value) in attributes { all[name] = value }
    }
    return DistributedSpan(span: span)
  }
}

private struct DistributedSpan: PipelineSpan {
  let span: any Tracing.Span

  func withCurrent<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    try await ServiceContext.withValue(span.context) { try await body() }
  }

  func set(_ name: String, to value: String) { span.updateAttributes { $0[name] = value } }
  func set(_ name: String, to value: Int) { span.updateAttributes { $0[name] = value } }
  func set(_ name: String, to value: Bool) { span.updateAttributes { $0[name] = value } }
  func fail(code: String) { span.setStatus(SpanStatus(code: .error, message: code)) }
  func end() { span.end() }
}
