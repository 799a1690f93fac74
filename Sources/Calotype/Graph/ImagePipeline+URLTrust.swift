extension ImagePipeline {
  /// Where the URLs of a pipeline's requests come from.
  public enum URLTrust: String, Hashable, Sendable, CaseIterable {
    /// From the program itself: any address is connected to, and `file:` URLs are read. See `LoaderGroup.standard`.
    case trusted
    /// From others, such as the users of a server: only the public internet is connected to, and no file is read, which
    /// prevents server-side request forgery (SSRF). See `LoaderGroup.forUntrustedURLs(_:transport:)`.
    case untrusted
  }
}
