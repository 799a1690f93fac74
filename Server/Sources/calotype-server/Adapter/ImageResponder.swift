import CalotypeHummingbird
import CalotypeServing
import Hummingbird

/// Answers the requests of Hummingbird by an image server. There is one kind of path, so that no router divides it.
struct ImageResponder: HTTPResponder {
  let server: ImageServer
  /// The time in which a response has to be taken.
  let patience: Duration

  func respond(to request: Request, context: ClientContext) async throws -> Response {
    switch server.answer(to: request.head) {
    case .ready(let response): return Response(response, patience: patience)
    case .pending(let work):
      // Cancelled when the client leaves.
      return Response(try await context.whileConnected { await work() }, patience: patience)
    }
  }
}
