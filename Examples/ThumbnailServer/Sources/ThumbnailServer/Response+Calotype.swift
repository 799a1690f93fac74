import Calotype
import CalotypeHummingbird
import Hummingbird

extension Response {
  /// Creates the response with an image, or without if the client has it already.
  init(_ image: EncodedImage, for request: Request) {
    let reply = image.reply(to: request.headers, method: request.method)
    self.init(status: reply.status, headers: reply.fields, body: ResponseBody(reply.data))
  }

  /// Creates the response for a request that failed.
  init(_ error: any CalotypeError) {
    var headers: HTTPFields = [.contentType: "text/plain; charset=utf-8"]
    // An origin may ask for any time; a client is to ask again the next day.
    headers[.retryAfter] = error.retryAfter.map { String(min($0.components.seconds, 86_400)) }
    self.init(
      status: .init(code: error.gatewayStatus), headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(string: error.code + "\n")))
  }
}
