import CalotypeHummingbird
import CalotypeServing
import Hummingbird

/// Answers the requests of Hummingbird by an image server. There is one kind of path, so that no router divides it.
struct ImageResponder: HTTPResponder {
  let server: ImageServer
  /// Whether connections serve more than one request.
  let keepsAlive: Bool
  /// The time in which a response has to be taken.
  let patience: Duration

  func respond(to request: Request, context: ClientContext) async throws -> Response {
    var response: Response
    switch server.answer(to: request.head) {
    case .ready(let served): response = Response(served, patience: patience)
    case .pending(let work):
      // Cancelled when the client leaves.
      response = Response(try await context.whileConnected { await work() }, patience: patience)
    }
    // Clients learn that a connection is not to be used again before it ends.
    if !keepsAlive || server.isDraining { response.headers[.connection] = "close" }
    return response
  }
}
