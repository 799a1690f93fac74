import FoundationEssentials
import HTTPTypes

/// Keys from the endpoint of ECS tasks and EKS pods (AWS SDKs and Tools Reference Guide, "Container credential provider").
struct ContainerCredentials: BucketCredentialProviding {
  var environment = ProcessInfo.processInfo.environment
  var client = MetadataClient()

  /// The hosts that a full URL may name without TLS: loopback, and those of ECS and EKS.
  private static let trustedHosts: Set<String> = [
    "127.0.0.1", "localhost", "::1", "169.254.170.2", "169.254.170.23", "fd00:ec2::23",
  ]

  func keys() async throws(BucketError) -> BucketKeys? {
    guard let url = try url else { return nil }
    var fields = HTTPFields()
    if let token = try await token { fields[.authorization] = token }
    guard let body = try await client.body(url, fields: fields) else {
      throw .noCredentials(reason: "the endpoint of the container refuses keys")
    }
    return try KeysDocument.keys(body)
  }

  private var url: URL? {
    get throws(BucketError) {
      if let path = environment.value("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") {
        guard path.hasPrefix("/"), let url = URL(string: "http://169.254.170.2\(path)") else {
          throw .noCredentials(reason: "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI is no path")
        }
        return url
      }
      guard let text = environment.value("AWS_CONTAINER_CREDENTIALS_FULL_URI") else { return nil }
      guard let url = URL(string: text), let host = url.host() else {
        throw .noCredentials(reason: "AWS_CONTAINER_CREDENTIALS_FULL_URI is no URL")
      }
      let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
      guard url.scheme == "https" || (url.scheme == "http" && Self.trustedHosts.contains(bare.lowercased()))
      else {
        throw .noCredentials(reason: "AWS_CONTAINER_CREDENTIALS_FULL_URI leads elsewhere without TLS")
      }
      return url
    }
  }

  /// The token that the endpoint demands. The file may change, so it is read each time.
  private var token: String? {
    get async throws(BucketError) {
      var token = environment.value("AWS_CONTAINER_AUTHORIZATION_TOKEN")
      if let path = environment.value("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") {
        guard let text = await FileCredentials.text(path) else {
          throw .noCredentials(reason: "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE cannot be read")
        }
        token = text
        while token?.last?.isNewline == true { token?.removeLast() }
      }
      guard let token else { return nil }
      guard token.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
        throw .noCredentials(reason: "the token for the endpoint of the container holds control characters")
      }
      return token
    }
  }
}
