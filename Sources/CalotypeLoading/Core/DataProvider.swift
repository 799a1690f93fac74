public import FoundationEssentials

/// Provides the bytes of an image from a database, an object store or the like: ``ImageSource/provider(_:)``.
public struct DataProvider: Sendable {
  /// Returns all bytes.
  ///
  /// - Throws: Any error; ``LoadingError`` and `CancellationError` reach the caller unchanged.
  public typealias Fetch = @Sendable () async throws -> Data

  /// The identity of the image, such as the name of its row or object.
  public let id: String
  /// The version of the bytes, such as a revision or a digest; `nil` if there is none.
  public let version: String?
  let fetch: Fetch

  /// - Parameters:
  ///   - id: The identity of the image.
  ///   - version: The version of the bytes: different bytes need different versions. `nil` for bytes that are not to be
  ///     kept.
  ///   - fetch: Returns all bytes. Called at most once for each load, in the caller's isolation, and cancelled with its
  ///     task.
  public init(id: String, version: String? = nil, fetch: @escaping Fetch) {
    self.id = id
    self.version = version
    self.fetch = fetch
  }

  /// A placeholder with the same identity, for tables that must not keep the closure alive.
  var withoutFetch: DataProvider {
    DataProvider(id: id, version: version) { throw LoadingError.bodyAlreadyConsumed }
  }
}

extension DataProvider: Hashable {
  /// Compares `id` and version, not the closures.
  public static func == (left: DataProvider, right: DataProvider) -> Bool {
    left.id == right.id && left.version == right.version
  }

  /// Hashes `id` and version.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(version)
  }
}

extension ImageSource {
  /// Bytes from a database, an object store or the like.
  ///
  /// ```swift
  /// let source = ImageSource.provider(id: "users/17/avatar", version: row.revision) {
  ///   try await database.bytes(of: row)
  /// }
  /// ```
  ///
  /// Caches keep bytes and images under `id` and version, in memory and on disk, without a time limit, as those of a local
  /// file. Without a version nothing is kept: requests of the same `id` at the same time share one call of the closure.
  ///
  /// - Parameters: as ``DataProvider/init(id:version:fetch:)``.
  public static func provider(
    id: String, version: String? = nil, fetch: @escaping DataProvider.Fetch
  ) -> ImageSource {
    .provider(DataProvider(id: id, version: version, fetch: fetch))
  }

  /// The version of the bytes, if the source itself knows it.
  package var version: String? {
    if case .provider(let provider) = self { provider.version } else { nil }
  }
}
