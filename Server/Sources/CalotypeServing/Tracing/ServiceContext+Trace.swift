import CalotypeResults
import ServiceContextModule

extension ServiceContext {
  private enum ClientTrace: ServiceContextKey {
    typealias Value = TraceContext
    static let nameOverride: String? = "calotype-client-trace"
  }

  /// The trace of the client, if the settings continue it.
  var clientTrace: TraceContext? {
    get { self[ClientTrace.self] }
    set { self[ClientTrace.self] = newValue }
  }
}
