import CalotypeLoading
import CalotypeResults
import CalotypeServing
import CalotypeSettings
import FoundationEssentials
import HTTPTypes

/// The settings, the origin and the request that a vector describes.
struct ServedScene: Sendable {
  /// The way to the response.
  enum Ending: Sendable {
    /// The server answers.
    case served
    /// The client leaves before.
    case cancelled
    /// A failure that no request causes at will.
    case failure(Failure)
  }

  private(set) var ending = Ending.served
  private(set) var environment = [
    "CALOTYPE_ALLOW_UNSIGNED": "true",
    // However busy the machine is.
    "CALOTYPE_TIMEOUT": "600", "CALOTYPE_MAX_QUEUE_TIME": "0",
  ]
  private(set) var request = HTTPRequest(
    method: .get, scheme: "http", authority: "server", path: "/unsafe/plain/http://images.dev/lorem/ipsum.jpg"
  )
  private(set) var origin = ServedOrigin()
  /// The most bytes of the result.
  private(set) var byteLimit: Int?
  /// The identifier that the client sends.
  private(set) var requestID: String?

  /// Reads a vector; `nil` if it needs more than this process.
  init?(_ vector: ConformanceVector) {
    let isKnown =
      switch vector.group {
      case "origin-206": readPart(vector.input)
      case "conditional-http": readConditions(vector.input)
      default: readStatus(vector.input)
      }
    guard isKnown else { return nil }
  }

  /// `origin 206 Content-Range: bytes 0-(n-1)/n`
  private mutating func readPart(_ input: String) -> Bool {
    guard let range = input.firstRange(of: "Content-Range: ") else { return false }
    let count = ServedOrigin.image.count
    origin.status = 206
    origin.fields[.contentRange] = String(input[range.upperBound...])
      .replacing("(n-1)", with: "\(count - 1)").replacing("/n", with: "/\(count)")
    return true
  }

  private mutating func readConditions(_ input: String) -> Bool {
    environment["IMGPROXY_USE_ETAG"] = input.contains("ETag on") ? "1" : "0"
    environment["IMGPROXY_USE_LAST_MODIFIED"] = input.contains("LM on") ? "1" : "0"
    // The rows speak of the validators of the origin.
    environment["CALOTYPE_COMPATIBILITY_ORIGIN_ETAG"] = "1"
    origin.fields[.lastModified] = VectorTime.before2020
    if input.contains("ETag o") { origin.fields[.eTag] = "\"loremipsumdolor\"" }
    if let range = input.firstRange(of: "INM \"") {
      request.headerFields[.ifNoneMatch] = "\"" + input[range.upperBound...].prefix(before: "\"") + "\""
    }
    if input.contains("client IMS") {
      let isOlder = input.contains("older")
      if isOlder { origin.fields[.lastModified] = VectorTime.after2020 }
      request.headerFields[.ifModifiedSince] = VectorTime.before2020
    }
    if input.contains("LAST_MODIFIED_BUSTER") {
      environment["IMGPROXY_LAST_MODIFIED_BUSTER"] = "2020-01-01T00:00:00Z"
    }
    return true
  }

  private mutating func readStatus(_ input: String) -> Bool {
    let words = Words(input).values
    if input.hasPrefix("ALLOWED_SOURCES=") || input.hasPrefix("same, url=") {
      // `same` refers to a row with this setting.
      environment["IMGPROXY_ALLOWED_SOURCES"] = words["ALLOWED_SOURCES"] ?? "local://,http://*.mycdn.dev/"
      request.path = "/unsafe/plain/" + (words["url"] ?? "")
    } else if input.hasPrefix("X-Request-ID: ") {
      let text = input.dropFirst(14).trimmed(of: "\"")
      requestID = text
      if let name = HTTPField.Name("X-Request-ID") { request.headerFields[name] = text }
    } else if input.hasPrefix("SECRET set") {
      environment["IMGPROXY_SECRET"] = "secret"
      if input.contains("Authorization: Bearer") {
        request.headerFields[.authorization] = input.contains("wrong") ? "Bearer other" : "Bearer secret"
      }
    } else if input.hasPrefix("HEAD any path") {
      environment["CALOTYPE_COMPATIBILITY_HEAD_ALWAYS_200"] = "1"
      request.method = .head
      request.path = "/any/path"
    } else if input.hasPrefix("OPTIONS any path") {
      request.method = .options
    } else if input.hasPrefix("GET /") {
      request.path = String(input.dropFirst(4).prefix(before: " "))
    } else if input.contains("loopback source") {
      request.path = "/unsafe/plain/http://127.0.0.1/ipsum.jpg"
      if input.contains("ALLOW_LOOPBACK=1") { environment["IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES"] = "1" }
    } else if input.contains("/mb:") {
      byteLimit = ServedOrigin.image.count / 2
      request.path = "/unsafe/mb:\(ServedOrigin.image.count / 2)/plain/http://images.dev/lorem/ipsum.jpg@jpg"
    } else {
      return readOrigin(input)
    }
    return true
  }

  private mutating func readOrigin(_ input: String) -> Bool {
    if input.contains("fallback") {
      environment["IMGPROXY_FALLBACK_IMAGE_DATA"] = ServedOrigin.image.base64EncodedString()
      if input.contains("FALLBACK_IMAGE_HTTP_CODE=0") {
        environment["IMGPROXY_FALLBACK_IMAGE_HTTP_CODE"] = "0"
      }
    }
    if let range = input.firstRange(of: "origin "),
      let status = Int(input[range.upperBound...].prefix(before: " ,;"))
    {
      origin.status = status
    } else if input.contains("unreachable") {
      origin.fault = .unreachable
    } else if input.contains("not an image") || input.contains("undecodable") {
      origin.body = Data("no image at all, but long enough to be read".utf8)
    } else if input.hasPrefix("address refused") {
      request.path = "/unsafe/plain/http://10.0.0.1/ipsum.jpg"
    } else if input.contains("redirect to a refused address") {
      origin.fault = .refusedRedirect
    } else if input.contains("unknown scheme") {
      request.path = "/unsafe/plain/foo://images.dev/ipsum.jpg"
    } else if input.contains("download timeout") {
      origin.fault = .timeout
    } else if input.contains("shorter than Content-Length") {
      origin.fault = .truncated
    } else if input.contains("client goes away") {
      ending = .cancelled
    } else if input.contains("queue full") {
      ending = .failure(Failure(.queueFull))
    } else if input.contains("panic") {
      struct Unexpected: Error {}
      ending = .failure(Failure(Unexpected()))
    } else {
      return false
    }
    return true
  }

  /// Returns the response of a server.
  func response() async throws -> ServedResponse {
    switch try await server().answer(to: request) {
    case .ready(let response): return response
    case .pending(let work): return await work()
    }
  }

  /// Returns the response to a client that has left.
  func cancelledResponse() async throws -> ServedResponse {
    guard case .pending(let work) = try await server().answer(to: request) else {
      return ServedResponse(status: .ok)
    }
    let task = Task { await work() }
    task.cancel()
    return await task.value
  }

  private func server() async throws -> ImageServer {
    let inputs = SettingsInputs(environment: environment, files: VectorFiles([:]))
    let settings = try SettingsLoader.load(inputs).settings
    let parts = try await ServerParts(settings, loader: origin.loader)
    return try ImageServer(settings, parts: parts)
  }
}
