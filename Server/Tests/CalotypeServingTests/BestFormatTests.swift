import CalotypeImaging
import CalotypeSettings
import CalotypeURLs
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@testable import CalotypeServing

/// `format:best`: the content decides, and the response says it.
@Suite("The best format", .timeLimit(.minutes(1)))
struct BestFormatTests {
  private static let path = "/unsafe/f:best/plain/http://images.example/a.png"

  @Test func contentAndClientDecide() async throws {
    let origin = TestOrigin()
    let server = try await origin.server { $0.formats.autoWebP = true }
    var noise: [UInt8] = []
    var value: UInt32 = 1
    for i in 0..<(96 * 96) {
      value = value &* 1_664_525 &+ 1_013_904_223
      let (x, y) = (i % 96, i / 96)
      noise += [
        UInt8(x * 2 + Int(value >> 27)), UInt8(y * 2 + Int(value >> 26 & 31)), UInt8((x + y) / 2 + 60),
      ]
    }
    let photo = try CoderRegistry.standard.encode(
      Image(bitmap: Bitmap(rgb: noise, width: 96, height: 96)), as: .png)
    let flat = try CoderRegistry.standard.encode(
      Image(
        bitmap: Bitmap(
          rgb: Array(repeating: [200, 30, 40], count: 96 * 96).flatMap(\.self), width: 96, height: 96)),
      as: .png)
    for (body, name, accept, types) in [
      (photo, "p", "image/webp", ["image/webp", "image/jpeg"]), (photo, "q", "*/*", ["image/jpeg"]),
      (flat, "r", "image/webp", ["image/webp"]), (flat, "s", "*/*", ["image/png"]),
    ] {
      origin.state.withLock { $0.body = body }
      let response = await server.response(
        Self.path.replacing("a.png", with: name + ".png"), [.accept: accept])
      #expect(response.status == .ok)
      let type = response.fields[.contentType] ?? ""
      #expect(types.contains(type), "\(name): \(type)")
      #expect(ImageFormat.sniff(response.data)?.mimeType == type)
      #expect(response.fields[.vary]?.contains("Accept") == true)
    }
  }
}
