import CalotypeSettings
import CalotypeURLs
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CalotypeServing

/// Requests that were read before.
@Suite("Prepared requests", .timeLimit(.minutes(1)))
struct PreparedRequestsTests {
  private static let path = "/unsafe/rs:fit:40:40/plain/http://images.example/a.png"

  @Test func theirNumberIsBounded() async throws {
    let server = try await TestOrigin().server()
    let prepared = try #require(server.rules.prepared)
    for index in 0..<3 * PreparedRequests.capacity {
      _ = server.answer(
        to: HTTPRequest(
          method: .get, scheme: nil, authority: nil,
          path: "/unsafe/cb:\(index)/plain/http://images.example/a.png"))
    }
    #expect(prepared.count == 2 * PreparedRequests.capacity)
    let long = String(repeating: "a", count: PreparedRequests.maximumLength)
    _ = server.answer(
      to: HTTPRequest(
        method: .get, scheme: nil, authority: nil, path: "/unsafe/plain/http://a.example/" + long))
    #expect(prepared.count == 2 * PreparedRequests.capacity)
  }

  /// The format that a client accepts, and a reload, lead to other answers.
  @Test func fieldsAndRulesCount() async throws {
    let server = try await TestOrigin().server { $0.formats.autoWebP = true }
    let webp = await server.response(Self.path, [.accept: "image/webp"])
    let png = await server.response(Self.path, [.accept: "image/png"])
    #expect(webp.fields[.contentType] == "image/webp" && png.fields[.contentType] == "image/png")
    var settings = server.rules.settings
    settings.security.allowsUnsigned = false
    settings.security.keys = [Secret([1])]
    settings.security.salts = [Secret([2])]
    try server.reload(settings)
    #expect(await server.response(Self.path).status == .forbidden)
  }

  @Test func timesAreLookedAtAgain() async throws {
    let now = TestTime()
    let server = try await TestOrigin().server(now: now)
    let path = "/unsafe/exp:\(Int(now.date.timeIntervalSince1970) + 10)/plain/http://images.example/a.png"
    #expect(await server.response(path).status == .ok)
    now.advance(20)
    #expect(await server.response(path).status.code == 404)
    var settings = server.rules.settings
    settings.security.keys = [Secret([1])]
    settings.security.salts = [Secret([2])]
    settings.security.keyValidity = [5]
    try server.reload(settings)
    #expect(server.rules.prepared == nil)
  }
}
