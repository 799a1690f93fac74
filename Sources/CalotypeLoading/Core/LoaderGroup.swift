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
  /// ``forUntrustedURLs(_:transport:)``.
  public static var standard: LoaderGroup {
    LoaderGroup([BytesLoader(), DataURLLoader(), FileLoader(), HTTPLoader()])
  }

  /// For URLs given by others: `http` and `https` on the public internet (``AddressPolicy/public``), `data:` URLs,
  /// bytes at hand, and streams. No files.
  ///
  /// Each call makes a loader with connections of its own: keep the group.
  ///
  /// ```swift
  /// var transport = CurlLoader.Configuration(maxConcurrent: 64)
  /// transport.addressPolicy = .public.allowing(host: "images.internal")
  /// let loader = LoaderGroup.forUntrustedURLs(transport: transport)
  /// ```
  ///
  /// - Parameters:
  ///   - configuration: Policies and hooks.
  ///   - transport: What the requests are sent with. ``AddressPolicy/public`` takes the place of ``AddressPolicy/any``;
  ///     a policy with exceptions stays.
  public static func forUntrustedURLs(
    _ configuration: HTTPLoader.Configuration = HTTPLoader.Configuration(),
    transport: CurlLoader.Configuration = CurlLoader.Configuration()
  ) -> LoaderGroup {
    var curl = transport
    if !curl.addressPolicy.isRestricting { curl.addressPolicy = .public }
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

  /// Those of all loaders.
  public var identity: String { LoaderIdentity.text(loaders.map(\.identity)) }

  /// That of the last loader that accepts `source`; ``CachingRule/never`` when there is none.
  public func cachingRule(for source: ImageSource) -> CachingRule {
    loader(for: source)?.cachingRule(for: source) ?? .never
  }

  /// Asks the last loader that accepts `source`.
  public func check(_ source: ImageSource) throws {
    try loader(for: source)?.check(source)
  }

  private func loader(for source: ImageSource) -> (any ImageLoading)? {
    loaders.last { $0.accepts(source) }
  }

  /// Whether any of the loaders accepts `source`.
  public func accepts(_ source: ImageSource) -> Bool {
    loaders.contains { $0.accepts(source) }
  }

  /// Loads with the last loader that accepts the source.
  ///
  /// - Throws: ``LoadingError/unsupportedScheme(_:)`` when there is none; what the loader throws.
  public func load(_ request: LoadRequest) async throws -> LoadResponse {
    guard let loader = loader(for: request.source) else {
      throw LoadingError.unsupportedScheme(request.source)
    }
    return try await loader.load(request)
  }

  /// Asks all loaders.
  public func removeParts() async throws {
    for loader in loaders { try await loader.removeParts() }
  }

  /// Tells the last loader that accepts the source.
  public func reject(_ request: LoadRequest, code: String, message: String) {
    loader(for: request.source)?.reject(request, code: code, message: message)
  }
}
