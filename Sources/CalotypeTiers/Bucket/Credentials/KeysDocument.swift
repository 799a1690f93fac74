import FoundationEssentials

/// The JSON of temporary keys, as the endpoints of containers and virtual machines answer.
struct KeysDocument: Decodable {
  var accessKey: String
  var secretKey: String
  var token: String?
  var expiration: String?
  /// Of virtual machines: `Success`, or a failure.
  var code: String?

  private enum CodingKeys: String, CodingKey {
    case accessKey = "AccessKeyId"
    case secretKey = "SecretAccessKey"
    case token = "Token"
    case expiration = "Expiration"
    case code = "Code"
  }

  /// Reads a document. Errors contain nothing of it.
  static func keys(_ data: Data) throws(BucketError) -> BucketKeys {
    guard let document = try? JSONDecoder().decode(KeysDocument.self, from: data),
      document.code ?? "Success" == "Success"
    else { throw .noCredentials(reason: "the endpoint answered without keys") }
    var expires: Date?
    if let text = document.expiration {
      guard let date = time(text) else { throw .noCredentials(reason: "the end of the keys is no time") }
      expires = date
    }
    return try BucketKeys(
      accessKey: document.accessKey, secretKey: document.secretKey, sessionToken: document.token,
      expires: expires)
  }

  /// Reads the end of keys.
  static func time(_ text: String) -> Date? {
    if let date = try? Date(text, strategy: .iso8601) { return date }
    return try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}
