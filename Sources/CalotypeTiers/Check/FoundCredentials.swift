import CalotypeSupport
import FoundationEssentials

/// The keys of a bucket, and the source that had them.
struct FoundCredentials: Sendable {
  let keys: BucketKeys
  /// In words.
  let source: String

  /// The source, the kind and the first characters of the access key; nothing that is secret.
  var description: String {
    let kind =
      switch (keys.sessionToken, keys.expires) {
      case (nil, _): "permanent"
      case (_, nil): "temporary"
      case (_, let end?): "temporary, until \(end.formatted(.iso8601))"
      }
    return "from \(source): \(kind), \(keys.accessKey.prefix(4))…"
  }
}

extension BucketCredentials {
  /// Asks the sources, and tells which one had keys.
  ///
  /// - Throws: ``BucketError/noCredentials(reason:)``; ``BucketError/cancelled`` at once.
  func found() async throws(BucketError) -> FoundCredentials {
    let waiter = Waiter<Result<FoundCredentials, BucketError>>()
    // A source may block, such as a file on a server that is gone.
    let search = Task { waiter.resolve(await Self.search(providers)) }
    defer { search.cancel() }
    return try await waiter.value(onCancel: .failure(.cancelled)).get()
  }

  @concurrent
  private static func search(
    _ providers: [any BucketCredentialProviding]
  ) async -> Result<FoundCredentials, BucketError> {
    var failure: BucketError?
    for provider in providers {
      do throws(BucketError) {
        if let keys = try await provider.keys() {
          return .success(FoundCredentials(keys: keys, source: name(of: provider)))
        }
      } catch {
        failure = failure ?? error
      }
    }
    return .failure(
      failure
        ?? .noCredentials(
          reason:
            "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or ~/.aws/credentials; no container or instance has any"
        ))
  }

  private static func name(of provider: any BucketCredentialProviding) -> String {
    switch provider {
    case is EnvironmentCredentials: "the environment"
    case is FileCredentials: "the shared file"
    case is ContainerCredentials: "the endpoint of the container"
    case is InstanceCredentials: "the metadata service of the instance"
    case is FixedCredentials: "the program"
    default: "a source of the program"
    }
  }
}
