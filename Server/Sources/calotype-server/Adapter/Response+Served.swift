import CalotypeHummingbird
import CalotypeLoading
import CalotypeServing
import FoundationEssentials
import Hummingbird
import NIOCore

extension Response {
  /// Creates the response for a client.
  init(_ served: ServedResponse) {
    let body =
      switch served.body {
      case .data(let data): ResponseBody(data)
      case .stream(let content, let length):
        ResponseBody(contentLength: length) { writer in
          for try await chunk in content { try await writer.write(ByteBuffer(bytes: chunk)) }
          try await writer.finish(nil)
        }
      }
    self.init(status: served.status, headers: served.fields, body: body)
    if let length = served.declaredLength { headers[.contentLength] = String(length) }
    // A response without content has no length of one (RFC 9110 §8.6).
    if status == .notModified || status == .noContent { headers[.contentLength] = nil }
  }
}
