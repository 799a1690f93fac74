import CalotypeLoading
import CalotypeResults
import HTTPTypes
import Tracing

/// Sends the trace of a request to its origin. The trace is no part of the identity of a source: of requests that share a
/// transfer, the origin sees that of the first.
struct TracedLoader: ImageLoading {
  let base: any ImageLoading
  let tracer: any Tracer

  var identity: String { base.identity }

  func cachingRule(for source: ImageSource) -> CachingRule { base.cachingRule(for: source) }
  func check(_ source: ImageSource) throws { try base.check(source) }
  func accepts(_ source: ImageSource) -> Bool { base.accepts(source) }
  func removeParts() async throws { try await base.removeParts() }

  func reject(_ request: LoadRequest, code: String, message: String) {
    base.reject(request, code: code, message: message)
  }

  func load(_ request: LoadRequest) async throws -> LoadResponse {
    guard let context = ServiceContext.current else { return try await base.load(request) }
    var request = request
    if let trace = context.clientTrace {
      request.headers[.traceParent] = trace.parent
      request.headers[.traceState] = trace.state.isEmpty ? nil : trace.state
    }
    tracer.inject(context, into: &request.headers, using: TraceFields())
    return try await base.load(request)
  }
}
