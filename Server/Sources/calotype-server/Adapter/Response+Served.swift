import CalotypeLoading
import CalotypeServing
import FoundationEssentials
import Hummingbird
import NIOCore

extension Response {
  /// Longer bodies are sent in pieces, so that a client that reads slowly holds a piece and not a copy of the body.
  private static let pieceLength = 64 << 10

  /// Creates the response for a client.
  init(_ served: ServedResponse) {
    switch served.body {
    case .data(let data) where data.count <= Self.pieceLength:
      self.init(
        status: served.status, headers: served.fields,
        body: data.isEmpty ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
    case .data(let data):
      self.init(status: served.status, headers: served.fields, body: Self.pieces(of: data))
    case .stream(let body, let length):
      let content = ResponseBody(contentLength: length) { writer in
        for try await chunk in body { try await writer.write(ByteBuffer(bytes: chunk)) }
        try await writer.finish(nil)
      }
      self.init(status: served.status, headers: served.fields, body: content)
    }
    if let length = served.declaredLength { headers[.contentLength] = String(length) }
    // A response without content has no length of one (RFC 9110 §8.6).
    if status == .notModified || status == .noContent { headers[.contentLength] = nil }
  }

  private static func pieces(of data: Data) -> ResponseBody {
    ResponseBody(contentLength: data.count) { writer in
      var rest = data
      while !rest.isEmpty {
        try await writer.write(ByteBuffer(bytes: rest.prefix(pieceLength)))
        rest = rest.dropFirst(pieceLength)
      }
      try await writer.finish(nil)
    }
  }
}
