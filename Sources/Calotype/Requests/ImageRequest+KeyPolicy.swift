public import FoundationEssentials

extension ImageRequest {
  /// What of a URL tells one image from another. The URL that is loaded is always the whole one.
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

    /// The whole URL, as it is written.
    public static let absolute = ImageRequest.KeyPolicy(rule: .absolute)

    /// The whole URL but its fragment, with scheme and host in lower case and without the port that its scheme has anyway
    /// (RFC 3986 §6.2.2, §6.2.3).
    public static let canonical = ImageRequest.KeyPolicy(rule: .canonical)

    /// Without query and fragment, otherwise ``canonical``.
    public static let withoutQuery = ImageRequest.KeyPolicy(rule: .withoutQuery)

    /// Without these parameters of the query, such as signatures; otherwise ``canonical``.
    public static func dropping(_ parameters: Set<String>) -> ImageRequest.KeyPolicy {
      ImageRequest.KeyPolicy(rule: .dropping(parameters))
    }

    /// With no parameters of the query but these, in the order they are written; otherwise ``canonical``.
    public static func keeping(_ parameters: Set<String>) -> ImageRequest.KeyPolicy {
      ImageRequest.KeyPolicy(rule: .keeping(parameters))
    }

    /// A name of the program's own: different URLs with the same name are one image.
    public static func named(_ name: String) -> ImageRequest.KeyPolicy {
      ImageRequest.KeyPolicy(rule: .named(name))
    }

    /// The text that stands for `url` in keys.
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

    /// What tells texts of different rules apart: what one drops another may need.
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
        // Cut by hand: parameters that stay keep every byte, repeated ones and those without a value too.
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
