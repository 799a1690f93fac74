import CalotypePlayground
import CalotypeSettings
import CalotypeURLs
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CalotypeServing

@Suite("Playground")
struct PlaygroundTests {
  private static let now = Date(timeIntervalSince1970: 1_767_225_600)

  private static func server(_ change: (inout Settings) -> Void = { _ in }) async throws -> ImageServer {
    var settings = Settings()
    settings.server.servesPlayground = true
    settings.security.keys = [Secret(Array("key".utf8))]
    settings.security.salts = [Secret(Array("salt".utf8))]
    change(&settings)
    return try ImageServer(settings, parts: await ServerParts(settings), now: { Self.now })
  }

  private static func send(
    _ server: ImageServer, _ path: String, _ method: HTTPRequest.Method = .get,
    authority: String = "127.0.0.1:8080", fields: HTTPFields = [:]
  ) -> ServedResponse {
    let request = HTTPRequest(
      method: method, scheme: "http", authority: authority, path: path, headerFields: fields)
    guard case .ready(let response) = server.answer(to: request) else {
      Issue.record("\(path) is not ready")
      return ServedResponse(status: .internalServerError)
    }
    return response
  }

  private static let sign = "/playground/sign?path=%2Frs:fit:10:10%2Fplain%2Flocal:%2F%2F%2Fa.jpg"

  @Test func filesArePartOfTheProgram() async throws {
    let server = try await Self.server()
    for file in PlaygroundFile.allCases {
      let path = "/playground" + (file.rawValue.isEmpty ? "" : "/" + file.rawValue)
      let response = Self.send(server, path)
      #expect(response.status == .ok && response.fields[.contentType] == file.mediaType)
      #expect(response.data == file.data && response.data.count > 1000)
      let policy = try #require(response.fields[.contentSecurityPolicy])
      #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
      #expect(Self.send(server, path, .head).declaredLength == file.data.count)
      // Nothing comes from elsewhere, and nothing is inline, which the policy forbids.
      let text = String(decoding: file.data, as: UTF8.self).replacing("https://…", with: "")
      #expect(!text.contains("https://") && !text.contains("http://") && !text.contains(" style="))
      #expect(!text.contains("<script>") && !text.contains(" onclick="))
    }
    #expect(Self.send(server, "/playground/../secrets").status.code == 404)
    #expect(Self.send(server, "/playground/").status.code == 404)
    #expect(Self.send(server, "/playground", .post).status.code == 405)
    #expect(Self.send(server, "/playground/sign").status.code == 405)
  }

  @Test func itIsOffByDefault() async throws {
    let server = try await Self.server { $0.server.servesPlayground = false }
    for path in ["/playground", "/playground/playground.js", "/playground/options.json"] {
      #expect(Self.send(server, path).status.code == 404)
    }
    #expect(Self.send(server, Self.sign, .post).status.code == 404)
  }

  @Test func signaturesNeedTheSecret() async throws {
    let server = try await Self.server { $0.server.secrets = [Secret("open sesame")] }
    #expect(Self.send(server, "/playground").status == .ok)
    for fields in [[:], [.authorization: "Bearer other"]] as [HTTPFields] {
      let response = Self.send(server, Self.sign, .post, fields: fields)
      #expect(response.status == .unauthorized && response.fields[.wwwAuthenticate] != nil)
      #expect(Self.send(server, "/playground/options.json", fields: fields).status == .unauthorized)
    }
    let fields: HTTPFields = [.authorization: "Bearer open sesame"]
    #expect(Self.send(server, Self.sign, .post, authority: "images.example", fields: fields).status == .ok)
    #expect(Self.send(server, "/playground/options.json", fields: fields).status == .ok)
  }

  /// A name that leads to this machine does not make a page from elsewhere one of its own.
  @Test func withoutASecretOnlyThisMachineSigns() async throws {
    let server = try await Self.server()
    for authority in ["127.0.0.1:8080", "localhost", "LOCALHOST:80", "[::1]:8080"] {
      #expect(Self.send(server, Self.sign, .post, authority: authority).status == .ok, "\(authority)")
    }
    for authority in [
      "evil.example", "127.0.0.1.evil.example", "10.0.0.1", "", "[2001:db8::1]", "[::1]x.evil.example",
      "[::1",
      "localhost:8080.evil.example",
    ] {
      #expect(Self.send(server, Self.sign, .post, authority: authority).status == .forbidden, "\(authority)")
    }
    let host = "127.0.0.1:8080"
    for (name, value, status) in [
      ("Origin", "http://127.0.0.1:8080", HTTPResponse.Status.ok),
      ("Origin", "http://evil.example", .forbidden),
      ("Origin", "null", .forbidden), ("X-Forwarded-For", "203.0.113.1", .forbidden),
      ("Via", "1.1 proxy", .forbidden),
    ] {
      let field = try #require(HTTPField.Name(name))
      let response = Self.send(server, Self.sign, .post, authority: host, fields: [field: value])
      #expect(response.status == status, "\(name): \(value)")
    }
    let site = try #require(HTTPField.Name("Sec-Fetch-Site"))
    #expect(Self.send(server, Self.sign, .post, fields: [site: "same-origin"]).status == .ok)
    for value in ["cross-site", "same-site"] {
      #expect(Self.send(server, Self.sign, .post, fields: [site: value]).status == .forbidden)
    }
  }

  @Test func urlsAreValidForAShortTime() async throws {
    let server = try await Self.server { $0.server.pathPrefix = "/images" }
    let response = Self.send(server, "/images" + Self.sign, .post)
    let text = String(decoding: response.data, as: UTF8.self)
    let start = try #require(text.firstRange(of: "/images/"))
    let url = String(text[start.lowerBound...].prefix { $0 != "\"" })
    #expect(url.hasSuffix("/rs:fit:10:10/exp:1767226200/plain/local:///a.jpg"))
    let request = try server.rules.dialect.parse(url, at: 1_767_225_700)
    #expect(request.options.expires == 1_767_226_200 && request.source == "local:///a.jpg")
    #expect(throws: (any Error).self) { try server.rules.dialect.parse(url, at: 1_767_226_201) }
    #expect(!text.contains("key") && !text.contains("6b6579"))
    let info = Self.send(
      server, "/images/playground/sign?info=1&path=/avg:1/plain/local:%2F%2F%2Fa.jpg", .post)
    #expect(String(decoding: info.data, as: UTF8.self).contains("/images/info/"))
  }

  @Test func pathsThatCannotEndAreRefused() async throws {
    let server = try await Self.server()
    func status(_ query: String) -> Int { Self.send(server, "/playground/sign" + query, .post).status.code }
    #expect(status("?path=/nonsense:1/plain/a") == 404)
    #expect(status("?path=/exp:9999999999/plain/a") == 200)
    #expect(status("?path=/rs:fit/-/w:10/plain/a") == 200)
    #expect(status("?path=plain/a") == 404)
    #expect(status("") == 400 && status("?path=%zz") == 404)
    #expect(status("?" + Array(repeating: "path=/plain/a", count: 17).joined(separator: "&")) == 400)
    let only = try await Self.server {
      $0.presets.definitions = ["small=w:10"]
      $0.presets.only = true
    }
    #expect(Self.send(only, "/playground/sign?path=/small/plain/a", .post).status.code == 404)
  }

  @Test func optionsAreThoseOfTheParser() async throws {
    let server = try await Self.server { $0.security.allowedOptions = ["quality", "resizing_type"] }
    let text = String(decoding: Self.send(server, "/playground/options.json").data, as: UTF8.self)
    #expect(text.contains(#"{"names":["quality","q"],"kind":"integer","min":0,"max":100}"#))
    #expect(text.contains(#""names":["resizing_type","rt"],"kind":"choice""#))
    #expect(!text.contains("\"width\"") && text.contains(#""isSigned":true"#))
  }
}
