import Calotype
import Foundation
import Hummingbird
import NIOCore
import NIOFileSystem

/// A route that answers with thumbnails, as a server would write it.
func addImageRoutes(to router: Router<BasicRequestContext>, pipeline: ImagePipeline) {
  router.get("thumbnail") { request, _ -> Response in
    guard let text = request.uri.queryParameters["url"], let url = URL(string: String(text)) else {
      throw HTTPError(.badRequest)
    }
    let webp: Data
    do {
      let image = try await pipeline.image(for: ImageRequest(url: url))
      webp = try await pipeline.encode(image, as: .webp(quality: 80))
    } catch let error as any CalotypeError {
      throw httpError(for: error)
    }
    return Response(
      status: .ok, headers: [.contentType: "image/webp"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: webp)))
  }
}

/// Returns the response to a failure, with the time to wait before a retry if it is known.
func httpError(for error: any CalotypeError) -> HTTPError {
  var headers = HTTPFields()
  if let wait = error.retryAfter { headers[.retryAfter] = "\(wait.components.seconds)" }
  return HTTPError(HTTPResponse.Status(code: error.gatewayStatus), headers: headers)
}
