import CalotypeLoading

/// The name of a loader in keys: a digest of its identity.
///
/// Only loaders that influence the bytes beyond the request have one, so that keys of the usual loader are
/// made once for all pipelines.
struct LoaderScope: Hashable, Sendable {
  /// SHA-256 as 64 hexadecimal digits.
  let digest: String

  init?(_ loader: any ImageLoading) {
    let identity = loader.identity
    guard !identity.isEmpty else { return nil }
    digest = LoaderIdentity.digest(identity)
  }
}
