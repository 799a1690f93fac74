import Hummingbird

/// A server that does nothing but send: the limit of what a server on Hummingbird can reach.
///
///     bare-server PORT BYTES
///
/// `/empty` has no content; all other paths have a body of the size.
@main
struct Bare {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    guard arguments.count == 2 else { fatalError("usage: bare-server PORT BYTES") }
    let buffer = ByteBuffer(bytes: [UInt8](repeating: 7, count: arguments[1]))
    let responder = CallbackResponder<BasicRequestContext> { request, _ in
      request.uri.path == "/empty"
        ? Response(status: .notModified)
        : Response(
          status: .ok, headers: [.contentType: "image/jpeg"], body: ResponseBody(byteBuffer: buffer))
    }
    let application = Application(
      responder: responder, configuration: .init(address: .hostname("127.0.0.1", port: arguments[0])))
    try await application.runService()
  }
}
