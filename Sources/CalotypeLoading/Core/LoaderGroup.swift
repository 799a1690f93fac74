/// Combines several loaders: the last one added that accepts a source loads it.
///
/// ```swift
/// let loader = LoaderGroup.standard.adding(MyLoader())
/// ```
public struct LoaderGroup: ImageLoading {
  /// The loaders. The last one is asked first.
  public private(set) var loaders: [any ImageLoading]

  /// Combines `loaders`; a later one takes precedence.
  public init(_ loaders: [any ImageLoading] = []) {
    self.loaders = loaders
  }

  /// Adds a loader that takes precedence over all others.
  public mutating func add(_ loader: some ImageLoading) {
    loaders.append(loader)
  }

  /// Returns the group with `loader` added.
  public func adding(_ loader: some ImageLoading) -> LoaderGroup {
    LoaderGroup(loaders + [loader])
  }

  /// The identities of all loaders.
  public var identity: String { LoaderIdentity.text(loaders.map(\.identity)) }

  /// Returns the rule of the last loader that accepts `source`; ``CachingRule/never`` when there is none.
  public func cachingRule(for source: ImageSource) -> CachingRule {
    loader(for: source)?.cachingRule(for: source) ?? .never
  }

  /// Asks the last loader that accepts `source`.
  ///
  /// - Throws: The errors of that loader.
  public func check(_ source: ImageSource) throws {
    try loader(for: source)?.check(source)
  }

  private func loader(for source: ImageSource) -> (any ImageLoading)? {
    loaders.last { $0.accepts(source) }
  }

  /// Returns whether any of the loaders accepts `source`.
  public func accepts(_ source: ImageSource) -> Bool {
    loaders.contains { $0.accepts(source) }
  }

  /// Loads with the last loader that accepts the source.
  ///
  /// - Throws: ``LoadingError/unsupportedScheme(_:)`` when there is none; the errors of that loader.
  public func load(_ request: LoadRequest) async throws -> LoadResponse {
    guard let loader = loader(for: request.source) else {
      throw LoadingError.unsupportedScheme(request.source)
    }
    return try await loader.load(request)
  }

  /// Removes the parts of all loaders.
  ///
  /// - Throws: The error of the first loader that fails; those behind it keep theirs.
  public func removeParts() async throws {
    for loader in loaders { try await loader.removeParts() }
  }

  /// Passes the rejection to the last loader that accepts the source.
  public func reject(_ request: LoadRequest, code: String, message: String) {
    loader(for: request.source)?.reject(request, code: code, message: message)
  }
}
