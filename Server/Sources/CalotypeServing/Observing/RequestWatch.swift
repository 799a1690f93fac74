import CalotypeResults
import HTTPTypes
import Tracing

/// A request while it is answered: the time since its start, its names in logs and traces, and its span.
struct RequestWatch: Sendable {
  let start = ContinuousClock.now
  let requestID: String
  let trace: TraceContext?
  let method: HTTPRequest.Method
  let isProbe: Bool
  let span: any Span
  var subject: RequestSubject?

  /// Starts to watch a request.
  ///
  /// - Parameter continuesTraces: Whether the span is one of the client's trace.
  init(_ request: HTTPRequest, isProbe: Bool, continuesTraces: Bool, tracer: any Tracer) {
    var random = SystemRandomNumberGenerator()
    let fields = request.headerFields
    requestID = RequestID.chosen(from: fields[.requestID], using: &random)
    trace = TraceContext(parents: fields[values: .traceParent], states: fields[values: .traceState])
    method = request.method
    self.isProbe = isProbe
    var context = ServiceContext.topLevel
    if continuesTraces {
      context.clientTrace = trace
      if trace != nil { tracer.extract(fields, into: &context, using: TraceFields()) }
    }
    span = tracer.startAnySpan("calotype.server", context: context, ofKind: .server)
  }

  /// The facts about the request with its response.
  func record(of response: ServedResponse) -> RequestRecord {
    RequestRecord(
      requestID: requestID, traceID: trace?.traceID, method: method, status: response.status,
      duration: ContinuousClock.now - start, subject: subject, errorCode: response.errorCode,
      errorDetail: response.errorDetail, isProbe: isProbe
    )
  }

  /// Ends the span.
  func end(_ record: RequestRecord) {
    guard span.isRecording else { return span.end() }
    span.updateAttributes { attributes in
      attributes["http.request.method"] = record.method.rawValue
      attributes["http.response.status_code"] = record.status.code
      attributes["calotype.request_id"] = record.requestID
      if let code = record.errorCode { attributes["error.type"] = code }
      if let subject = record.subject {
        attributes["calotype.identity"] = subject.identity
        attributes["calotype.source_host"] = subject.sourceHost
      }
    }
    if record.status.code >= 500 { span.setStatus(SpanStatus(code: .error, message: record.errorCode)) }
    span.end()
  }
}
