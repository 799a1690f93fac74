extension LoaderGroup {
  /// Loads `http` and `https` URLs by an ``HTTPLoader`` over ``CurlLoader/shared``, `file:` and `data:` URLs, data in
  /// memory, and streams.
  ///
  /// The group connects to any address and reads any file. For URLs that come from users, use
  /// ``forUntrustedURLs(_:transport:)``, which prevents server-side request forgery (SSRF).
  public static var standard: LoaderGroup {
    LoaderGroup([BytesLoader(), DataURLLoader(), FileLoader(), HTTPLoader()])
  }

  /// Creates a group for URLs that come from users: `http` and `https` on the public internet (``AddressPolicy/public``),
  /// `data:` URLs, data in memory, and streams. It reads no files, and prevents server-side request forgery (SSRF).
  ///
  /// Each call creates a loader with its own connections: keep the group.
  ///
  /// ```swift
  /// var transport = CurlLoader.Configuration(maxConcurrent: 64)
  /// transport.addressPolicy = .public.allowing(host: "images.internal")
  /// let loader = LoaderGroup.forUntrustedURLs(transport: transport)
  /// ```
  ///
  /// - Parameters:
  ///   - configuration: Policies and hooks.
  ///   - transport: The configuration of the transport. ``AddressPolicy/public`` replaces ``AddressPolicy/any``; a policy
  ///     with exceptions is kept.
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
}
