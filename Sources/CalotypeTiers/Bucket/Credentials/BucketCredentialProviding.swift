/// A source of keys.
///
/// Conform to this protocol to take keys from elsewhere, such as a vault. ``BucketCredentials`` asks again before the keys
/// expire, one call at a time.
public protocol BucketCredentialProviding: Sendable {
  /// Returns keys that are valid now; `nil` if this source is not set up here, so that the next one of a chain is asked.
  ///
  /// - Throws: ``BucketError/noCredentials(reason:)`` if it is set up but fails. The reason must contain no secrets.
  func keys() async throws(BucketError) -> BucketKeys?
}
