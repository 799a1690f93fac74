public import FoundationEssentials

extension ImageRequest {
  /// The parts of a URL that identify an image. The whole URL is loaded in any case.
  ///
  /// ```swift
  /// request.keyPolicy = .dropping(["signature", "expires"])
  /// ```
  public struct KeyPolicy: Hashable, Sendable {
    private enum Rule: Hashable {
      case absolute
      case canonical
      case withoutQuery
      case dropping(Set<String>)
      case keeping(Set<String>)
      case named(String)
    }

    private let rule: Rule

    /// Whether different URLs have different texts, apart from spellings of the same.
    var isOfWholeURL: Bool { rule == .absolute || rule == .canonical }

    /// The whole URL, as written.
    public static let absolute = ImageRequest.KeyPolicy(rule: .absolute)

    /// The whole URL except its fragment, with scheme and host in lower case and without the default port
    /// of the scheme (RFC 3986 §6.2.2, §6.2.3).
    public static let canonical = ImageRequest.KeyPolicy(rule: .canonical)

    /// The ``canonical`` URL without its query.
    public static let withoutQuery = ImageRequest.KeyPolicy(rule: .withoutQuery)

    /// Uses the ``canonical`` URL without these query parameters, such as signatures.
    public static func dropping(_ parameters: Set<String>) -> ImageRequest.KeyPolicy {
      ImageRequest.KeyPolicy(rule: .dropping(parameters))
    }

    /// Uses the ``canonical`` URL with only these query parameters, in the order in which they are written.
    public static func keeping(_ parameters: Set<String>) -> ImageRequest.KeyPolicy {
      ImageRequest.KeyPolicy(rule: .keeping(parameters))
    }

    /// Uses a name chosen by the program: different URLs with the same name are one image.
    public static func named(_ name: String) -> ImageRequest.KeyPolicy {
      ImageRequest.KeyPolicy(rule: .named(name))
    }

    /// Returns the text that represents `url` in keys.
    public func text(for url: URL) -> String {
      switch rule {
      case .absolute: url.absoluteString
      case .canonical: canonical(url) { _ in true }
      case .withoutQuery: canonical(url) { _ in false }
      case .dropping(let names): canonical(url) { !names.contains($0) }
      case .keeping(let names): canonical(url) { names.contains($0) }
      case .named(let name): name
      }
    }

    /// A label that distinguishes texts of different rules, which drop different parts of the URL.
    var label: String {
      func list(_ names: Set<String>) -> String {
        names.sorted().map { "\($0.utf8.count) \($0)" }.joined(separator: " ")
      }
      return switch rule {
      case .absolute: "url"
      case .canonical: "canonical url"
      case .withoutQuery: "url without query"
      case .dropping(let names): "url without \(names.count) \(list(names)) "
      case .keeping(let names): "url with \(names.count) \(list(names)) "
      case .named: "named"
      }
    }

    private func canonical(_ url: URL, keeps: (String) -> Bool) -> String {
      guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
        return url.absoluteString
      }
      parts.fragment = nil
      parts.scheme = parts.scheme?.lowercased()
      parts.encodedHost = parts.encodedHost?.lowercased()
      if parts.port == (parts.scheme == "https" ? 443 : parts.scheme == "http" ? 80 : nil) {
        parts.port = nil
      }
      if parts.path.isEmpty, parts.host != nil { parts.path = "/" }
      if let query = parts.percentEncodedQuery {
        // Cut manually: the remaining parameters keep every byte, including repeated ones and those without
        // a value.
        let kept = query.split(separator: "&", omittingEmptySubsequences: false).filter { parameter in
          var item = URLComponents()
          item.percentEncodedQuery = String(parameter)
          return keeps(item.queryItems?.first?.name ?? String(parameter))
        }
        parts.percentEncodedQuery = kept.isEmpty ? nil : kept.joined(separator: "&")
      }
      return parts.string ?? url.absoluteString
    }
  }
}
