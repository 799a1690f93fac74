import CalotypeSupport
import Tracing

/// A tracer that keeps its spans.
final class RecordingTracer: Tracer {
  private enum SpanKey: ServiceContextKey {
    typealias Value = Int
  }

  private let state = Lock([RecordingSpan]())

  var spans: [RecordingSpan] { state.withLock { $0 } }

  func spans(_ name: String) -> [RecordingSpan] { spans.filter { $0.name == name } }

  func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
  ) -> RecordingSpan {
    var context = context()
    let parent = context[SpanKey.self]
    return state.withLock { spans in
      context[SpanKey.self] = spans.count
      let span = RecordingSpan(operationName, context: context, parent: parent.map { spans[$0] })
      spans.append(span)
      return span
    }
  }

  func forceFlush() {}

  func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
  ) where Extract.Carrier == Carrier {}

  func inject<Carrier, Inject: Injector>(
    _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject.Carrier == Carrier {}
}

final class RecordingSpan: Tracing.Span {
  private struct State {
    var ends = 0
    var error: String?
  }

  let name: String
  let context: ServiceContext
  let parent: RecordingSpan?
  // The attributes are no `Sendable` value: guarded by a lock that everybody takes.
  private nonisolated(unsafe) var stored = SpanAttributes()
  private let guardian = Lock(())
  private let state = Lock(State())

  init(_ name: String, context: ServiceContext, parent: RecordingSpan?) {
    self.name = name
    self.context = context
    self.parent = parent
  }

  /// How often it was ended.
  var ends: Int { state.withLock { $0.ends } }
  /// The message of its status, if that is an error.
  var error: String? { state.withLock { $0.error } }

  func text(_ key: String) -> String? {
    guardian.withLock { _ in
      guard case .string(let text) = stored.get(key) else { return nil }
      return text
    }
  }

  /// Everything there is to read.
  var allTexts: [String] {
    guardian.withLock { _ in
      var texts: [String] = []
      stored.forEach { key, value in texts.append("\(key)=\(value)") }
      return texts
    }
  }

  var operationName: String {
    get { name }
    set {}
  }
  var attributes: SpanAttributes {
    get { guardian.withLock { _ in stored } }
    set { guardian.withLock { _ in stored = newValue } }
  }
  var isRecording: Bool { ends == 0 }

  func setStatus(_ status: SpanStatus) {
    if status.code == .error { state.withLock { $0.error = status.message } }
  }
  func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
    state.withLock { $0.ends += 1 }
  }
  func addEvent(_ event: SpanEvent) {}
  func addLink(_ link: SpanLink) {}
  func recordError<Instant: TracerInstant>(
    _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
  ) {}
}
