import HTTPTypes
import Instrumentation

/// Reads and writes the fields of traces, for tracers.
struct TraceFields: Extractor, Injector {
  func extract(key: String, from fields: HTTPFields) -> String? {
    HTTPField.Name(key).flatMap { fields[$0] }
  }

  func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) {
    if let name = HTTPField.Name(key) { fields[name] = value }
  }
}
