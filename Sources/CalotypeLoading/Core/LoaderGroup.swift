/// Several loaders as one: the last one added that accepts a source loads it.
///
/// ```swift
/// let loader = LoaderGroup.standard.adding(BucketLoader())
/// ```
public struct LoaderGroup: ImageLoading {
  /// The loaders, the first to be asked last.
  public private(set) var loaders: [any ImageLoading]

  /// `http` and `https` by an ``HTTPLoader`` of its own over ``CurlLoader/shared``, `file:` and `data:` URLs, bytes at
  /// hand, and streams.
  ///
  /// It connects to any address and reads any file. Whoever loads URLs given by others takes
  /// ``forUntrustedURLs(_:transport:exceptions:)``.
  public static var standard: LoaderGroup {
    LoaderGroup([BytesLoader(), DataURLLoader(), FileLoader(), HTTPLoader()])
  }

  /// For URLs given by others: `http` and `https` on the public internet (``AddressPolicy/public``), `data:` URLs,
  /// bytes at hand, and streams. No files.
  ///
  /// Each call makes a loader with connections of its own: keep the group.
  ///
  /// - Parameters:
  ///   - configuration: Retries, failures, interceptors and the like.
  ///   - transport: Connections and limits. Its address policy is replaced.
  ///   - exceptions: Adds what may be reached besides, such as one host inside:
  ///     `{ $0.allowing(host: "images.internal") }`. What it returns has to be public in principle: with
  ///     ``AddressPolicy/any``, the group would be no different from ``standard``.
  public static func forUntrustedURLs(
    _ configuration: HTTPLoader.Configuration = HTTPLoader.Configuration(),
    transport: CurlLoader.Configuration = CurlLoader.Configuration(),
    exceptions: (AddressPolicy) -> AddressPolicy = { $0 }
  ) -> LoaderGroup {
    var curl = transport
    curl.addressPolicy = exceptions(.public)
    return LoaderGroup([
      BytesLoader(), DataURLLoader(), HTTPLoader(configuration, transport: CurlLoader(curl)),
    ])
  }

  /// A group of `loaders`; those further back win.
  public init(_ loaders: [any ImageLoading] = []) {
    self.loaders = loaders
  }

  /// Adds a loader that wins over all others.
  public mutating func add(_ loader: some ImageLoading) {
    loaders.append(loader)
  }

  /// The group with `loader` added.
  public func adding(_ loader: some ImageLoading) -> LoaderGroup {
    LoaderGroup(loaders + [loader])
  }

  /// Whether any of the loaders accepts `source`.
  public func accepts(_ source: ImageSource) -> Bool {
    loaders.contains { $0.accepts(source) }
  }

  /// Loads with the last loader that accepts the source.
  ///
  /// - Throws: ``LoadingError/unsupportedScheme(_:)`` when there is none; what the loader throws.
  public func load(_ request: LoadRequest) async throws -> LoadResponse {
    guard let loader = loaders.last(where: { $0.accepts(request.source) }) else {
      throw LoadingError.unsupportedScheme(request.source)
    }
    return try await loader.load(request)
  }

  /// Tells the last loader that accepts the source.
  public func reject(_ request: LoadRequest, code: String, message: String) {
    loaders.last { $0.accepts(request.source) }?.reject(request, code: code, message: message)
  }
}
