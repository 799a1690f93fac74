import Calotype
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

/// A picture shows before all of it has come over the wire.
@Suite("Dripped bodies", .timeLimit(.minutes(5)))
struct DrippedBodyTests {
  @Test(
    "three quarters of a body make a preview",
    arguments: ["jpeg", "png", "gif", "webp", "apng"], [false, true])
  func previews(format: String, isChunked: Bool) async throws {
    let bytes = try Self.picture(format)
    let server = try ScriptedHTTPServer()
    let gate = Gate()
    let (first, rest) = (Data(bytes.prefix(bytes.count * 3 / 4)), Data(bytes.dropFirst(bytes.count * 3 / 4)))
    let head: [(name: String, value: String)] =
      isChunked ? [("Transfer-Encoding", "chunked")] : [("Content-Length", "\(bytes.count)")]
    let steps: [ScriptedReply.Step] =
      isChunked
      ? [.chunk(first), .wait(gate), .chunk(rest), .chunk(Data())]
      : [.bytes(first), .wait(gate), .bytes(rest)]
    server.route("/a", ScriptedReply([.head(200, head)] + steps))
    let response = try await CurlLoader().load(LoadRequest(url: server.url("/a")))
    let decoder = CoderRegistry.standard.makeIncrementalDecoder()
    var received = 0
    var previews = 0
    for try await chunk in response.body {
      received += chunk.count
      try decoder.append(chunk)
      if received == first.count {
        if try decoder.snapshot() != nil { previews += 1 }
        gate.open()
      }
    }
    #expect(received == bytes.count)
    #expect(previews == 1)
    #expect(try decoder.finish().bitmap == CoderRegistry.standard.decode(bytes).bitmap)
  }

  private static func picture(_ format: String) throws -> Data {
    switch format {
    case "jpeg": try Samples.photo("mountains.jpg")
    case "png": try Samples.photo("brushes.png")
    case "webp": try Samples.photo("sunset.webp")
    case "gif": try Samples.photo("pan.gif")
    default: try Data(contentsOf: Samples.fixture("apng/animated/maneki-neko.apng"))
    }
  }
}
