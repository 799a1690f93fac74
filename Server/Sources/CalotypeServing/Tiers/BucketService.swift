import CalotypeSettings
import CalotypeTiers
import FoundationEssentials

/// A bucket service as settings describe it.
struct BucketService {
  let region: String
  let endpoint: String
  let usesPathStyle: Bool
  let accessKeyID: String
  let secretAccessKey: Secret<String>
  let sessionToken: Secret<String>
  let roleARN: String
  let roleExternalID: String

  /// The region that signatures name.
  var signedRegion: String { region.isEmpty ? "us-west-1" : region }

  /// The URL of the service: Amazon's of the region if the settings name none.
  var url: URL {
    get throws(ServerStartError) {
      let text = endpoint.isEmpty ? "https://s3.\(signedRegion).amazonaws.com" : endpoint
      guard let url = URL(string: text) else {
        throw .unusableTier("\(text) is no URL of a bucket service")
      }
      return url
    }
  }

  /// The credentials of the settings, or those of the platform; those of the role that they assume, if there is one.
  var credentials: BucketCredentials {
    get throws(BucketError) {
      if roleARN.isEmpty { return try ownCredentials }
      // The variable of the AWS SDKs, for token services elsewhere.
      let address = ProcessInfo.processInfo.environment["AWS_ENDPOINT_URL_STS"] ?? ""
      let role = try BucketRole(
        arn: roleARN, externalID: roleExternalID.isEmpty ? nil : roleExternalID, region: signedRegion,
        endpoint: address.isEmpty ? nil : URL(string: address))
      return .role(role, using: try ownCredentials)
    }
  }

  private var ownCredentials: BucketCredentials {
    get throws(BucketError) {
      if accessKeyID.isEmpty { return .standard }
      let token = sessionToken.exposed
      return .keys(
        try BucketKeys(
          accessKey: accessKeyID, secretKey: secretAccessKey.exposed,
          sessionToken: token.isEmpty ? nil : token))
    }
  }

  /// Returns how URLs name a bucket. Amazon's names of hosts have it in front, unless no certificate covers it.
  func addressing(of bucket: String) -> Bucket.Addressing {
    if endpoint.isEmpty { return bucket.contains(".") ? .path : .virtualHosted }
    return usesPathStyle ? .path : .virtualHosted
  }
}
