public import FoundationEssentials

/// A set of cached values that are removed together, in all sizes and forms.
public enum CacheSelection: Hashable, Sendable {
  /// Values of this source: all keys whose ``CacheKey/source`` equals the text.
  case source(String)
  /// Values of this source that were stored with this tag.
  case tagged(source: String, tag: String)
  /// Values whose source begins with this text, such as all images below a URL.
  case sourcePrefix(String)
  /// Values whose source is a URL with this host, in any case and on any port.
  case host(String)
  /// Values whose source is a URL of this origin, such as `https://example.org` or `https://example.org:8443`: with the
  /// same scheme, host and port (RFC 6454 §5). A text without a scheme and a host selects nothing.
  case origin(String)
  /// Values that were stored with this tag.
  case tag(String)

  /// Values of the image at `url`: those whose source is the text of the URL.
  ///
  /// A pipeline with a key policy stores the text of the policy instead; then use ``source(_:)`` with that text.
  public static func url(_ url: URL) -> CacheSelection { .source(url.absoluteString) }

  /// Returns whether the selection includes a value with this source and these tags. Texts are compared byte by byte.
  public func contains(source: String, tags: some Collection<String>) -> Bool {
    switch self {
    case .source(let wanted): source.utf8.elementsEqual(wanted.utf8)
    case .tagged(let wanted, let tag):
      source.utf8.elementsEqual(wanted.utf8) && tags.contains { $0.utf8.elementsEqual(tag.utf8) }
    case .sourcePrefix(let prefix): source.utf8.starts(with: prefix.utf8)
    case .host(let host): URL(string: source)?.host()?.lowercased() == host.lowercased()
    case .origin(let text):
      if let wanted = WebOrigin(text) { WebOrigin(source) == wanted } else { false }
    case .tag(let tag): tags.contains { $0.utf8.elementsEqual(tag.utf8) }
    }
  }
}
