import FoundationEssentials

/// Where the keys of a bucket come from.
///
/// ```swift
/// let cache = BucketCache(bucket, credentials: .standard)
/// ```
public struct BucketCredentials: Sendable {
  let providers: [any BucketCredentialProviding]

  /// Takes keys from the first of these sources that has some.
  public init(_ providers: any BucketCredentialProviding...) {
    self.providers = providers
  }

  private init(providers: [any BucketCredentialProviding]) {
    self.providers = providers
  }

  /// Asks these sources one after another; the first that is set up counts.
  public static func chain(_ sources: BucketCredentials...) -> BucketCredentials {
    BucketCredentials(providers: sources.flatMap(\.providers))
  }

  /// The environment, the shared file, the endpoint of containers, and that of virtual machines, in the order of the AWS
  /// SDKs.
  public static var standard: BucketCredentials { chain(.environment, .file(), .container, .instance) }

  /// These keys.
  public static func keys(_ keys: BucketKeys) -> BucketCredentials {
    BucketCredentials(FixedCredentials(keys: keys))
  }

  /// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`.
  public static var environment: BucketCredentials { BucketCredentials(EnvironmentCredentials()) }

  /// The shared files of the AWS command line, `~/.aws/credentials` and `~/.aws/config`, or those that
  /// `AWS_SHARED_CREDENTIALS_FILE` and `AWS_CONFIG_FILE` name.
  ///
  /// - Parameter profile: The section; `nil` for that of `AWS_PROFILE`, or `default`.
  public static func file(profile: String? = nil) -> BucketCredentials {
    BucketCredentials(FileCredentials(profile: profile))
  }

  /// The endpoint of ECS tasks and EKS pods (`AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` or `…_FULL_URI`).
  public static var container: BucketCredentials { BucketCredentials(ContainerCredentials()) }

  /// Keys of a role that is assumed with other keys, for an hour at a time. A refusal is tried again after 5 s.
  ///
  /// ```swift
  /// let role = try BucketRole(arn: "arn:aws:iam::123456789012:role/images", region: "eu-central-1")
  /// let cache = BucketCache(bucket, credentials: .role(role))
  /// ```
  ///
  /// - Parameters:
  ///   - role: The role.
  ///   - base: The keys that sign the request for the role.
  public static func role(_ role: BucketRole, using base: BucketCredentials = .standard) -> BucketCredentials
  {
    BucketCredentials(RoleCredentials(role, base: base))
  }

  /// The metadata service of EC2, version 2. Each request may take a second.
  public static var instance: BucketCredentials { BucketCredentials(InstanceCredentials()) }
}

/// Keys that do not change.
struct FixedCredentials: BucketCredentialProviding {
  let keys: BucketKeys

  func keys() async throws(BucketError) -> BucketKeys? { keys }
}

/// Keys from the environment of the process.
struct EnvironmentCredentials: BucketCredentialProviding {
  var environment = ProcessInfo.processInfo.environment

  func keys() async throws(BucketError) -> BucketKeys? {
    guard let accessKey = environment.value("AWS_ACCESS_KEY_ID"),
      let secretKey = environment.value("AWS_SECRET_ACCESS_KEY")
    else { return nil }
    return try BucketKeys(
      accessKey: accessKey, secretKey: secretKey, sessionToken: environment.value("AWS_SESSION_TOKEN"))
  }
}

extension [String: String] {
  /// The value of a name; `nil` if it is missing or empty.
  func value(_ name: String) -> String? {
    guard let value = self[name], !value.isEmpty else { return nil }
    return value
  }
}
