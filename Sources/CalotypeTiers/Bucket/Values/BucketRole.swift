public import FoundationEssentials

/// A role that is assumed to read and write a bucket: ``BucketCredentials/role(_:using:)``.
public struct BucketRole: Hashable, Sendable {
  /// The name of the role, such as `arn:aws:iam::123456789012:role/images`.
  public let arn: String
  /// The external ID that the role asks for; `nil` for none.
  public let externalID: String?
  /// The name of the session, which logs of AWS show.
  public let sessionName: String
  /// The region of the token service.
  public let region: String
  /// The URL of the token service, without a path.
  public let endpoint: URL

  /// Describes a role.
  ///
  /// - Parameters:
  ///   - arn: The name of the role.
  ///   - externalID: The external ID that the role asks for.
  ///   - sessionName: The name of the session: 2 to 64 letters, digits and `_+=,.@-`.
  ///   - region: The region of the token service.
  ///   - endpoint: The URL of the token service; `nil` for that of AWS in the region.
  /// - Throws: ``BucketError/invalidConfiguration(reason:)`` for texts that cannot be these.
  public init(
    arn: String, externalID: String? = nil, sessionName: String = "calotype", region: String,
    endpoint: URL? = nil
  ) throws(BucketError) {
    func isWord(_ text: String, _ others: String, _ count: ClosedRange<Int>) -> Bool {
      count.contains(text.utf8.count)
        && text.utf8.allSatisfy { byte in
          (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || others.utf8.contains(byte)
        }
    }
    guard arn.hasPrefix("arn:"), isWord(arn, "_+=,.@-:/", 20...2_048) else {
      throw .invalidConfiguration(reason: "the role is no ARN")
    }
    guard externalID.map({ isWord($0, "_+=,.@-:/", 2...1_224) }) ?? true else {
      throw .invalidConfiguration(
        reason: "the external ID has other signs than letters, digits and _+=,.@:/-")
    }
    guard isWord(sessionName, "_+=,.@-", 2...64) else {
      throw .invalidConfiguration(
        reason: "the name of the session has other signs than letters, digits and _+=,.@-")
    }
    guard isWord(region, "-", 1...64),
      let url = endpoint ?? URL(string: "https://sts.\(region).amazonaws.com"),
      ["http", "https"].contains(url.scheme?.lowercased()), url.host()?.isEmpty == false,
      ["", "/"].contains(url.path()), url.query == nil, url.user == nil
    else { throw .invalidConfiguration(reason: "the region or the endpoint of the token service is none") }
    self.arn = arn
    self.externalID = externalID
    self.sessionName = sessionName
    self.region = region
    self.endpoint = url
  }

  /// The field `Host`.
  var host: String {
    let host = endpoint.host()?.lowercased() ?? ""
    let text = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    let standard = isSecure ? 443 : 80
    return text + (endpoint.port.flatMap { $0 == standard ? nil : ":\($0)" } ?? "")
  }

  private var isSecure: Bool { endpoint.scheme?.lowercased() == "https" }

  /// The URL of requests.
  var url: URL? { URL(string: "\(isSecure ? "https" : "http")://\(host)/") }

  /// The content of the request.
  func form(lifetime: Int) -> String {
    var parameters = [
      ("Action", "AssumeRole"), ("Version", "2011-06-15"), ("RoleArn", arn), ("RoleSessionName", sessionName),
      ("DurationSeconds", String(lifetime)),
    ]
    if let externalID { parameters.append(("ExternalId", externalID)) }
    return String(decoding: PercentEscape.query(parameters.map { (name: $0.0, value: $0.1) }), as: UTF8.self)
  }
}
