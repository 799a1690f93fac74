import CalotypeHummingbird
import CalotypeLoading
import CalotypeServing
import FoundationEssentials
import Hummingbird
import NIOCore

extension Response {
  /// Creates the response for a client.
  ///
  /// - Parameter patience: The time in which a client has to take what is passed on to it from an origin, longer by a second
  ///   for each 16 KiB. It must not hold the transfer for ever.
  init(_ served: ServedResponse, patience: Duration) {
    let body =
      switch served.body {
      case .data(let data): ResponseBody(data)
      case .stream(let content, let length):
        ResponseBody(contentLength: length) { writer in
          var pace = ClientPace(patience: patience)
          for try await chunk in content {
            let start = ContinuousClock.now
            try await writer.write(ByteBuffer(bytes: chunk))
            try pace.took(chunk.count, in: ContinuousClock.now - start)
          }
          try await writer.finish(nil)
        }
      }
    self.init(status: served.status, headers: served.fields, body: body)
    if let length = served.declaredLength { headers[.contentLength] = String(length) }
    // A response without content has no length of one (RFC 9110 §8.6).
    if status == .notModified || status == .noContent { headers[.contentLength] = nil }
  }
}
