import CalotypeResults
import Tracing

/// The spans of the stages of an image, within that of its request. Those of loads are the pipeline's.
///
/// Without a tracer, which `InstrumentationSystem.bootstrap` sets, they cost next to nothing.
struct StageSpans: Sendable {
  /// A stage.
  enum Stage: String, CaseIterable, Sendable {
    case fetch, admission, decode, transform, encode, store
  }

  let tracer: any Tracer

  /// Performs a stage on this thread within its span.
  func within<Value>(_ stage: Stage, _ body: () throws -> Value) throws -> Value {
    let span = start(stage)
    defer { span.end() }
    do { return try body() } catch { throw span.failed(error) }
  }

  /// Performs a stage within its span.
  func within<Value>(_ stage: Stage, _ body: () async throws -> Value) async throws -> Value {
    let span = start(stage)
    defer { span.end() }
    do {
      return try await ServiceContext.withValue(span.context) { try await body() }
    } catch {
      throw span.failed(error)
    }
  }

  private func start(_ stage: Stage) -> any Span {
    tracer.startAnySpan("calotype.\(stage.rawValue)", context: .current ?? .topLevel, ofKind: .internal)
  }
}

extension Span {
  /// Records an error, and returns it.
  fileprivate func failed(_ error: any Error) -> any Error {
    // The code alone: descriptions of errors may have URLs.
    setStatus(SpanStatus(code: .error, message: Failure(error).reason.rawValue))
    return error
  }
}
