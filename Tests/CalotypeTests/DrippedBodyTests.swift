import Calotype
import CalotypeTestKit
import FoundationEssentials
import Testing

/// A picture shows before all of it has come over the wire.
@Suite("Dripped bodies", .timeLimit(.minutes(1)))
struct DrippedBodyTests {
  @Test(
    "half of a body makes a preview",
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
    let size = PixelSize(width: 64, height: 48)
    func bitmap(_ seed: UInt8) throws -> Bitmap {
      try Bitmap(size: size) { pixels throws(ImagingError) in
        for index in pixels.indices {
          pixels[index] = index % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: index / 3) &+ seed
        }
        return true
      }
    }
    let still = Image(bitmap: try bitmap(0))
    switch format {
    case "jpeg": return try still.encoded(as: .jpeg(quality: 90))
    case "png": return try still.encoded(as: .png)
    case "webp": return try still.encoded(as: .webp(quality: 90))
    case "gif": return try Samples.photo("pan.gif")
    default: return try Data(contentsOf: Samples.fixture("apng/animated/maneki-neko.apng"))
    }
  }
}
