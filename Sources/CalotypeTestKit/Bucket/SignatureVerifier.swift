import CalotypeSupport
import FoundationEssentials

/// Verifies signatures of requests by the book: AWS Signature Version 4 in the `Authorization` field, as the Amazon S3 API
/// Reference describes it. Stricter than most servers: each `x-amz-` field, `Host` and `Content-Type` must be signed.
package struct SignatureVerifier: Sendable {
  private let region: String
  private let accessKey: String
  private let secretKey: String
  private let sessionToken: String?
  private let service: String

  /// Why a request is refused: the code of S3, and the reason for a developer.
  package struct Refusal: Error {
    package let code: String
    package let reason: String
  }

  /// The longest difference of clocks, in seconds.
  static let tolerance = 900

  /// Creates a verifier of signatures by one key.
  ///
  /// - Parameter service: The service that signatures have to name.
  package init(
    region: String, accessKey: String, secretKey: String, sessionToken: String?, service: String = "s3"
  ) {
    self.region = region
    self.accessKey = accessKey
    self.secretKey = secretKey
    self.sessionToken = sessionToken
    self.service = service
  }

  /// - Parameter now: Seconds since 1970 by the server's clock.
  package func verify(_ request: ScriptedRequest, now: Int) throws(Refusal) {
    let parts = try parts(of: request)
    let scope = parts.credential.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard scope.count == 5, scope[3] == service, scope[4] == "aws4_request", scope[2] == region else {
      throw Refusal(code: "AuthorizationHeaderMalformed", reason: "scope \(parts.credential)")
    }
    guard scope[0] == accessKey else { throw Refusal(code: "InvalidAccessKeyId", reason: "another key") }
    guard request[header: "x-amz-security-token"] == sessionToken else {
      throw Refusal(code: "InvalidToken", reason: "another token")
    }
    let time = request[header: "x-amz-date"] ?? ""
    guard let seconds = Self.seconds(time), time.hasPrefix(scope[1]), scope[1].utf8.count == 8 else {
      throw Refusal(code: "AccessDenied", reason: "x-amz-date \(time)")
    }
    guard abs(seconds - now) <= Self.tolerance else {
      throw Refusal(code: "RequestTimeTooSkewed", reason: "the clocks differ by \(seconds - now) s")
    }
    let names = parts.signedHeaders.split(separator: ";").map(String.init)
    try check(names, of: request)
    let payload = try payloadHash(of: request)
    let canonical = try canonicalRequest(request, names: names, payload: payload)
    let text =
      "AWS4-HMAC-SHA256\n\(time)\n\(scope[1...].joined(separator: "/"))\n\(MessageDigest.sha256Hex(canonical))"
    var key = Array("AWS4\(secretKey)".utf8)
    for part in scope[1...] { key = HMACSHA256.code(part.utf8, key: key) }
    guard Hex.encode(HMACSHA256.code(text.utf8, key: key)) == parts.signature else {
      throw Refusal(code: "SignatureDoesNotMatch", reason: canonical)
    }
  }

  private func parts(
    of request: ScriptedRequest
  ) throws(Refusal) -> (credential: String, signedHeaders: String, signature: String) {
    let algorithm = "AWS4-HMAC-SHA256 "
    let fields = request.headers.filter { $0.name.lowercased() == "authorization" }
    guard fields.count == 1, fields[0].value.hasPrefix(algorithm) else {
      throw Refusal(code: "AccessDenied", reason: "no signature")
    }
    var values: [String: String] = [:]
    for part in fields[0].value.dropFirst(algorithm.count).split(separator: ",") {
      let words = part.drop { $0 == " " }.split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard words.count == 2 else { break }
      values[String(words[0])] = String(words[1])
    }
    guard values.count == 3, let credential = values["Credential"],
      let signedHeaders = values["SignedHeaders"],
      let signature = values["Signature"]
    else { throw Refusal(code: "AuthorizationHeaderMalformed", reason: fields[0].value) }
    return (credential, signedHeaders, signature)
  }

  private func check(_ names: [String], of request: ScriptedRequest) throws(Refusal) {
    let sent = Set(request.headers.map { $0.name.lowercased() })
    let demanded = sent.filter { $0 == "host" || $0 == "content-type" || $0.hasPrefix("x-amz-") }
    guard names == names.sorted(), Set(names).count == names.count,
      names.allSatisfy({ $0 == $0.lowercased() }),
      sent.isSuperset(of: names), demanded.isSubset(of: names), names.contains("host")
    else { throw Refusal(code: "AccessDenied", reason: "signed headers \(names), sent \(sent.sorted())") }
  }

  private func payloadHash(of request: ScriptedRequest) throws(Refusal) -> String {
    guard let declared = request[header: "x-amz-content-sha256"] else {
      throw Refusal(code: "MissingSecurityHeader", reason: "no x-amz-content-sha256")
    }
    let hash = Hex.encode(request.body.withUnsafeBytes { MessageDigest.sha256($0) })
    guard declared == "UNSIGNED-PAYLOAD" || declared == hash else {
      throw Refusal(code: "XAmzContentSHA256Mismatch", reason: "\(declared), but it is \(hash)")
    }
    return declared
  }

  private func canonicalRequest(
    _ request: ScriptedRequest, names: [String], payload: String
  ) throws(Refusal) -> String {
    let segments = request.path.split(separator: "/", omittingEmptySubsequences: false)
    let path = try segments.map { segment throws(Refusal) in try Self.escapedAgain(segment) }
    var pairs: [(String, String)] = []
    for part in (request.query ?? "").split(separator: "&") {
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      pairs.append((try Self.escapedAgain(words[0]), words.count > 1 ? try Self.escapedAgain(words[1]) : ""))
    }
    pairs.sort { Self.precedes($0.0, $1.0) || ($0.0 == $1.0 && Self.precedes($0.1, $1.1)) }
    var lines = [request.method, path.joined(separator: "/")]
    lines.append(pairs.map { "\($0.0)=\($0.1)" }.joined(separator: "&"))
    for name in names {
      let values = request.headers.filter { $0.name.lowercased() == name }
        .map { $0.value.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ") }
      lines.append("\(name):\(values.joined(separator: ","))")
    }
    return (lines + ["", names.joined(separator: ";"), payload]).joined(separator: "\n")
  }

  private static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }

  /// The text as it must be escaped, however it was.
  private static func escapedAgain(_ text: Substring) throws(Refusal) -> String {
    guard let bytes = unescaped(text) else { throw Refusal(code: "InvalidURI", reason: String(text)) }
    var result = ""
    for byte in bytes {
      let isPlain = byte < 128 && (Character(Unicode.Scalar(byte)).isLetter || (48...57).contains(byte))
      if isPlain || "-._~".utf8.contains(byte) {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        result += "%" + Hex.encode([byte]).uppercased()
      }
    }
    return result
  }

  /// The bytes that an escaped text stands for; `nil` if it is malformed.
  static func unescaped(_ text: Substring) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(Hex.value(of:)),
        let low = rest.popFirst().flatMap(Hex.value(of:))
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// Seconds since 1970 of `20130524T000000Z`.
  private static func seconds(_ text: String) -> Int? {
    let bytes = Array(text.utf8)
    guard bytes.count == 16, bytes[8] == UInt8(ascii: "T"), bytes[15] == UInt8(ascii: "Z") else { return nil }
    let characters = Array(text)
    func part(_ range: Range<Int>) -> String { String(characters[range]) }
    let iso =
      "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(9..<11)):\(part(11..<13)):\(part(13..<15))Z"
    return (try? Date(iso, strategy: .iso8601)).map { Int($0.timeIntervalSince1970) }
  }
}
