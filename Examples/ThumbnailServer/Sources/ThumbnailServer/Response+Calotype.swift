import Calotype
import Hummingbird

extension Response {
  /// Longer bodies are sent in pieces, so that a client that reads slowly holds a piece and not a copy of the body.
  private static let pieceLength = 64 << 10

  /// Creates the response with an image, or without if the client has it already.
  init(_ image: EncodedImage, for request: Request) {
    let reply = image.reply(to: request.headers, method: request.method)
    let data = reply.data
    guard data.count > Self.pieceLength else {
      self.init(
        status: reply.status, headers: reply.fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
      return
    }
    let body = ResponseBody(contentLength: data.count) { writer in
      var rest = data
      while !rest.isEmpty {
        try await writer.write(ByteBuffer(bytes: rest.prefix(Self.pieceLength)))
        rest = rest.dropFirst(Self.pieceLength)
      }
      try await writer.finish(nil)
    }
    self.init(status: reply.status, headers: reply.fields, body: body)
  }

  /// Creates the response for a request that failed.
  init(_ error: any CalotypeError) {
    var headers: HTTPFields = [.contentType: "text/plain; charset=utf-8"]
    headers[.retryAfter] = error.retryAfter.map { String($0.components.seconds) }
    self.init(
      status: .init(code: error.gatewayStatus), headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(string: error.code + "\n")))
  }
}
