import CalotypeSupport
import Crypto
import FoundationEssentials
import HTTPTypes

/// Signs requests for S3 and compatible servers in their header fields (AWS Signature Version 4, "Authenticating
/// Requests: Using the Authorization Header").
///
/// The key of a day is computed once. Secrets are in no description.
final class RequestSigner: Sendable {
  /// The parts of a request that are signed.
  struct Request {
    var method: String
    /// The `Host` field, with a port that is not the default one.
    var host: String
    /// The path, unescaped, which begins with a slash.
    var path: String
    /// The parameters, unescaped, in any order.
    var query: [(name: String, value: String)] = []
    /// Fields to sign and to send.
    var fields = HTTPFields()
    var payload = PayloadHash.empty
  }

  /// The request to send.
  struct Signed {
    /// The path and the query, escaped as they were signed.
    var target: String
    /// The given fields and those of the signature; without `Host`.
    var fields: HTTPFields
  }

  let region: String
  let service: String
  private let accessKey: String
  private let secret: SymmetricKey
  private let token: String?
  private let dayKey = Lock<(day: Int, key: SymmetricKey)?>(nil)

  init(_ keys: BucketKeys, region: String, service: String = "s3") {
    self.region = region
    self.service = service
    accessKey = keys.accessKey
    secret = SymmetricKey(data: Array("AWS4\(keys.secretKey)".utf8))
    token = keys.sessionToken
  }

  /// Signs a request.
  func sign(_ request: Request, at time: SigningTime) -> Signed {
    var fields = request.fields
    fields[.amzDate] = time.text
    fields[.amzContentSHA256] = request.payload.text
    if let token { fields[.amzSecurityToken] = token }

    var path: [UInt8] = []
    PercentEscape.append(request.path, to: &path, keepsSlashes: true)
    let query = PercentEscape.query(request.query)

    var canonical: [UInt8] = []
    canonical.reserveCapacity(768)
    canonical += request.method.utf8
    canonical.append(.newline)
    canonical += path
    canonical.append(.newline)
    canonical += query
    canonical.append(.newline)
    let names = appendFields(fields, host: request.host, to: &canonical)
    canonical.append(.newline)
    canonical += names
    canonical.append(.newline)
    canonical += request.payload.text.utf8

    let scope = "\(time.day)/\(region)/\(service)/aws4_request"
    var text = Array("AWS4-HMAC-SHA256\n".utf8)
    text.reserveCapacity(160)
    text += time.text.utf8
    text.append(.newline)
    text += scope.utf8
    text.append(.newline)
    text += Hex.encode(SHA256.hash(data: canonical)).utf8
    let signature = Hex.encode(HMAC<SHA256>.authenticationCode(for: text, using: key(of: time)))
    fields[.authorization] =
      "AWS4-HMAC-SHA256 Credential=\(accessKey)/\(scope), SignedHeaders=\(String(decoding: names, as: UTF8.self))"
      + ", Signature=\(signature)"
    if !query.isEmpty {
      path.append(UInt8(ascii: "?"))
      path += query
    }
    return Signed(target: String(decoding: path, as: UTF8.self), fields: fields)
  }

  /// Appends `name:value` lines in the order of their names, and returns the names.
  private func appendFields(_ fields: HTTPFields, host: String, to canonical: inout [UInt8]) -> [UInt8] {
    var lines = fields.enumerated().map { (name: $1.name.canonicalName, value: $1.value, order: $0) }
    lines.append((name: "host", value: host, order: lines.count))
    lines.sort { ($0.name, $0.order) < ($1.name, $1.order) }
    var names: [UInt8] = []
    var previous: String?
    for line in lines {
      if line.name == previous {
        // Fields of one name are one line.
        canonical.removeLast()
        canonical.append(UInt8(ascii: ","))
      } else {
        canonical += line.name.utf8
        canonical.append(UInt8(ascii: ":"))
        if previous != nil { names.append(UInt8(ascii: ";")) }
        names += line.name.utf8
        previous = line.name
      }
      Self.appendTrimmed(line.value, to: &canonical)
      canonical.append(.newline)
    }
    return names
  }

  /// Appends a value without spaces around it, and with one for each run of spaces.
  private static func appendTrimmed(_ value: String, to canonical: inout [UInt8]) {
    var isFirst = true
    for word in value.utf8.split(whereSeparator: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) {
      if !isFirst { canonical.append(UInt8(ascii: " ")) }
      isFirst = false
      canonical += word
    }
  }

  /// The signing key of the day.
  private func key(of time: SigningTime) -> SymmetricKey {
    let day = time.dayNumber
    if let known = dayKey.withLock({ $0 }), known.day == day { return known.key }
    var key = secret
    for part in [String(time.day), region, service, "aws4_request"] {
      key = SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Array(part.utf8), using: key))
    }
    let made = key
    dayKey.withLock { $0 = (day, made) }
    return made
  }
}

extension UInt8 {
  fileprivate static var newline: UInt8 { 10 }
}

extension HTTPField.Name {
  static let amzDate = HTTPField.Name.known("x-amz-date")
  static let amzContentSHA256 = HTTPField.Name.known("x-amz-content-sha256")
  static let amzSecurityToken = HTTPField.Name.known("x-amz-security-token")
  static let amzBucketRegion = HTTPField.Name.known("x-amz-bucket-region")
  static let amzRequestID = HTTPField.Name.known("x-amz-request-id")
  static let amzMetaCalotype = HTTPField.Name.known("x-amz-meta-calotype")

  /// A name that is written in this module.
  static func known(_ text: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(text) else {
      // Independent of input.
      preconditionFailure("\(text) is no field name")
    }
    return name
  }
}
