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
    let image = try await pipeline.image(for: ImageRequest(url: url))
    let webp = try await pipeline.encode(image, as: .webp(quality: 80))
    return Response(
      status: .ok, headers: [.contentType: "image/webp"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: webp)))
  }
}
