import CalotypePlanning
import CalotypeResults
import CalotypeServing
import FoundationEssentials
import HTTPTypes

/// Requests that a whole server answers, with an origin in this process.
enum ServedCases {
  /// The groups of such requests.
  static let groups: Set<String> = ["status", "origin-206", "conditional-http"]

  static func evaluate(_ vector: ConformanceVector) async throws -> ConformanceVerdict {
    if vector.group == "status" {
      let verdict = try StatusCases.evaluate(vector)
      if verdict.kind != .refused { return verdict }
    }
    guard let scene = ServedScene(vector) else { return .refused("needs a network, or another process") }
    let response: ServedResponse
    switch scene.ending {
    case .served: response = try await scene.response()
    case .cancelled: response = try await scene.cancelledResponse()
    case .failure(let failure):
      let reply = ErrorTable().reply(to: failure)
      response = ServedResponse(status: reply.status, fields: reply.fields, body: Data(reply.body.utf8))
    }
    return verdict(response, vector, scene)
  }

  private static func verdict(
    _ response: ServedResponse, _ vector: ConformanceVector, _ scene: ServedScene
  ) -> ConformanceVerdict {
    let body = String(decoding: response.data.prefix(200), as: UTF8.self)
    let isText = response.fields[.contentType]?.hasPrefix("text/") == true
    var found = "\(response.status.code)" + (isText && !body.isEmpty ? " \(body)" : "")
    let expected = vector.expected
    switch expected {
    case "no ETag":
      found += " ETag: \(response.fields[.eTag] ?? "none")"
      return .answer(found, agrees: response.status == .ok && response.fields[.eTag] == nil)
    case "Last-Modified: buster":
      found += " Last-Modified: \(response.fields[.lastModified] ?? "none")"
      return .answer(found, agrees: response.fields[.lastModified] == VectorTime.field2020)
    case "echoed":
      return .answer(found, agrees: requestID(response) == scene.requestID)
    case "replaced by a new id":
      return .answer(found, agrees: requestID(response).map { $0 != scene.requestID && !$0.isEmpty } ?? false)
    default: break
    }
    // Some rows name the condition first: `IMS sent, origin 304 → 304`.
    let numbers = expected.split(whereSeparator: { !("0"..."9").contains($0) }).filter { $0.count == 3 }
    let status =
      expected.contains("→") || expected.contains("not sent") ? numbers.last : numbers.first
    guard let status, let code = Int(String(status)) else { return .refused("no status is expected") }
    var agrees = response.status.code == code
    if let tag = expected.firstRange(of: "ETag \"") {
      let text = expected[tag.upperBound...].prefix(before: "\"")
      agrees = agrees && response.fields[.eTag] == "\"\(text)\""
    }
    if expected.contains("≤ half"), let limit = scene.byteLimit {
      found += " \(response.data.count) bytes"
      agrees = agrees && response.data.count <= limit
    }
    if let sentence = sentence(expected), isText { agrees = agrees && body == sentence }
    if expected.contains("Cache-Control no-cache") {
      agrees = agrees && response.fields[.cacheControl] == "no-cache"
    }
    return .answer(found, agrees: agrees)
  }

  private static func requestID(_ response: ServedResponse) -> String? {
    response.fields.first { $0.name.canonicalName == "x-request-id" }?.value
  }

  /// The text of the body: in quotes, or words behind the status.
  private static func sentence(_ expected: String) -> String? {
    if let first = expected.firstIndex(of: "\""), !expected.contains("ETag") {
      return expected[expected.index(after: first)...].prefix(before: "\"")
    }
    let words = expected.dropFirst(4).prefix(before: "(;,")
    return words.first?.isUppercase == true ? words.trimmed(of: " ") : nil
  }
}
