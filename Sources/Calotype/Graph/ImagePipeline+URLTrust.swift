extension ImagePipeline {
  /// The trust in the URLs of a pipeline's requests.
  public enum URLTrust: String, Hashable, Sendable, CaseIterable {
    /// URLs come from the program itself: any address is allowed, and `file:` URLs are read. See
    /// `LoaderGroup.standard`.
    case trusted
    /// URLs come from others, such as the users of a server: only the public internet is allowed, and no
    /// file is read, which prevents server-side request forgery (SSRF). See
    /// `LoaderGroup.forUntrustedURLs(_:transport:)`.
    case untrusted
  }
}
