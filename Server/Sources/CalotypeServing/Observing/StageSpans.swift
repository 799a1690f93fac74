import CalotypeResults
import Tracing

/// The spans of the stages of an image that are the server's, within that of its request. Those of loads, decodes and transforms
/// are the pipeline's.
///
/// Without a tracer, which `InstrumentationSystem.bootstrap` sets, they cost next to nothing.
struct StageSpans: Sendable {
  /// A stage.
  enum Stage: String, CaseIterable, Sendable {
    case fetch, admission, transform, encode, store
  }

  let tracer: any Tracer

  /// Performs a stage within its span.
  func within<Value>(_ stage: Stage, _ body: () async throws -> Value) async throws -> Value {
    let span = tracer.startAnySpan(
      "calotype.\(stage.rawValue)", context: .current ?? .topLevel, ofKind: .internal)
    defer { span.end() }
    do {
      return try await ServiceContext.withValue(span.context) { try await body() }
    } catch {
      // The code alone: descriptions of errors may have URLs.
      span.setStatus(SpanStatus(code: .error, message: Failure(error).reason.rawValue))
      throw error
    }
  }
}
