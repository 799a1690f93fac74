import CalotypeLoading
import FoundationEssentials
import HTTPTypes

/// Keys from the metadata service of EC2, version 2 (Amazon EC2 User Guide, "Use the Instance Metadata Service").
struct InstanceCredentials: BucketCredentialProviding {
  var environment = ProcessInfo.processInfo.environment
  var client = MetadataClient()

  private static let tokenTime = HTTPField.Name.known("X-aws-ec2-metadata-token-ttl-seconds")
  private static let token = HTTPField.Name.known("X-aws-ec2-metadata-token")

  func keys() async throws(BucketError) -> BucketKeys? {
    guard environment.value("AWS_EC2_METADATA_DISABLED")?.lowercased() != "true" else { return nil }
    let base = environment.value("AWS_EC2_METADATA_SERVICE_ENDPOINT") ?? "http://169.254.169.254"
    guard let endpoint = URL(string: base), endpoint.host() != nil else {
      throw .noCredentials(reason: "AWS_EC2_METADATA_SERVICE_ENDPOINT is no URL")
    }
    let latest = endpoint.appending(path: "latest")
    guard
      let token = Self.line(
        try await client.body(
          latest.appending(path: "api/token"), method: .put, fields: [Self.tokenTime: "21600"]))
    else { return nil }
    let roles = latest.appending(path: "meta-data/iam/security-credentials")
    guard
      let role = Self.line(
        try await client.body(roles.appending(path: "/"), fields: [Self.token: token])),
      !role.utf8.contains(UInt8(ascii: "/")),
      role != ".."
    else { return nil }
    guard let body = try await client.body(roles.appending(path: role), fields: [Self.token: token]) else {
      throw .noCredentials(reason: "the metadata service has no keys for the role of the machine")
    }
    return try KeysDocument.keys(body)
  }

  /// The first line, if it consists of printable characters.
  private static func line(_ body: Data?) -> String? {
    guard let line = body?.split(separator: UInt8(ascii: "\n")).first, line.count <= 4 << 10,
      line.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    return String(decoding: line, as: UTF8.self)
  }
}
