extension Settings {
  /// Where sources come from, besides HTTP.
  public struct Sources: Equatable, Sendable {
    /// The folder of `local://`; empty: there is none.
    public var localRoot = ""
    /// Whether there is `s3://`.
    public var usesS3 = false
    /// The bucket service.
    public var s3 = S3()
    /// Buckets that may be named; none: all.
    public var s3AllowedBuckets: [String] = []
    /// Buckets that may not be named, even if they are allowed.
    public var s3DeniedBuckets: [String] = []
    /// Names of access points and their ARNs.
    public var s3AccessPoints: [SettingPair] = []
    /// Credentials of single buckets: the bucket, and the id and the secret with a colon between them.
    public var s3BucketCredentials: Secret<[SettingPair]> = Secret([])

    /// The defaults.
    public init() {}
  }

  /// A bucket service with the interface of S3.
  public struct S3: Equatable, Sendable {
    /// The region; empty for `us-west-1`.
    public var region = ""
    /// The URL of the service; empty for Amazon's.
    public var endpoint = ""
    /// Whether the bucket is in the path, not in the name of the host, of ``endpoint``.
    public var usesPathStyle = true
    /// The role that is assumed; empty for none.
    public var roleARN = ""
    /// The external id of the role; empty for none.
    public var roleExternalID = ""
    /// The id of the access key; empty: credentials come from the platform.
    public var accessKeyID = ""
    /// The secret of the access key.
    public var secretAccessKey = Secret("")
    /// The token of temporary credentials.
    public var sessionToken = Secret("")

    /// The defaults.
    public init() {}
  }
}
