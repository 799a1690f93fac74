import CalotypeLoading
public import CalotypeResults
import FoundationEssentials
import HTTPTypes

/// Decides which sources the server reads: a pure value.
public struct SourceResolver: Sendable {
  /// The patterns of which one has to match; none allow all.
  public var allowed: [SourcePattern]
  /// The folder of local sources; empty for none.
  public var localRoot: String
  /// The text between the path of a local source and its query, which is ignored; empty for none.
  public var querySeparator: String
  /// The folder of watermarks that URLs name; empty for none.
  public var watermarkFolder: String
  /// Whether there are sources in buckets.
  public var readsBuckets: Bool

  /// The kinds of addresses that URLs may name. The loader checks those that names lead to.
  public var addresses: Set<AddressKind>

  /// Creates a resolver.
  public init(
    allowed: [SourcePattern] = [], localRoot: String = "", querySeparator: String = "?",
    watermarkFolder: String = "",
    addresses: Set<AddressKind> = [.other], readsBuckets: Bool = false
  ) {
    self.readsBuckets = readsBuckets
    self.allowed = allowed
    self.addresses = addresses
    self.localRoot = localRoot
    self.querySeparator = querySeparator
    self.watermarkFolder = watermarkFolder
  }

  /// Returns the source of a text.
  ///
  /// - Throws: ``Failure`` with the reason `sourceRefused` or `sourceUnreachable`.
  public func resolve(_ text: String) throws(Failure) -> SourceReference {
    guard isAllowed(text), allowed.isEmpty || !Self.hasDotSegments(text) else {
      throw Failure(.sourceRefused, detail: "no pattern of the allowed sources matches the source")
    }
    guard let mark = text.firstRange(of: "://"), mark.lowerBound > text.startIndex else {
      throw Failure(.sourceUnreachable, detail: "the source has no scheme; begin it with https://")
    }
    switch text[..<mark.lowerBound].lowercased() {
    case "http", "https": return try http(text)
    case "local": return try local(text[mark.upperBound...], text)
    case "s3" where readsBuckets: return try object(text[mark.upperBound...], text)
    case let scheme:
      throw Failure(.sourceUnreachable, detail: "sources of the scheme \(scheme) are not configured")
    }
  }

  /// Returns the source of a watermark: as that of a picture, or a file of the folder of watermarks, which a text without a scheme
  /// names.
  ///
  /// - Throws: ``Failure`` with the reason `sourceRefused` or `sourceUnreachable`.
  func resolveWatermark(_ text: String) throws(Failure) -> SourceReference {
    guard !watermarkFolder.isEmpty, !text.contains("://") else { return try resolve(text) }
    return SourceReference(
      text: "watermark:" + text, kind: .local, url: try Self.file(text, in: watermarkFolder), share: "local")
  }

  /// Returns whether a pattern allows a text; also asked for the targets of redirects.
  public func isAllowed(_ text: String) -> Bool {
    allowed.isEmpty || allowed.contains { $0.matches(text) }
  }

  /// Returns whether all URLs of a response are allowed: those of its redirects, and its own.
  func areAllowed(_ response: LoadResponse, from start: URL) -> Bool {
    guard !allowed.isEmpty else { return true }
    var url = start
    for redirect in response.redirects {
      guard let next = redirect.headers[.location].flatMap({ URL(string: $0, relativeTo: url) }) else {
        return false
      }
      url = next.absoluteURL
      guard isAllowed(url.absoluteString) else { return false }
    }
    return response.url == start || isAllowed(response.url.absoluteString)
  }

  /// Returns whether the path has segments that are removed before the URL is sent (RFC 3986 §5.2.4): it would be another one
  /// than the pattern allows.
  private static func hasDotSegments(_ text: String) -> Bool {
    let path = text.utf8.prefix { !"?#".utf8.contains($0) }
    return path.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }.contains { segment in
      let plain = String(decoding: segment, as: UTF8.self).lowercased().replacing("%2e", with: ".")
      return plain == "." || plain == ".."
    }
  }

  /// Returns whether nothing in front of the path could be read as a path by one program and as a host by another: browsers
  /// take a backslash for a slash.
  private static func hasPlainAuthority(_ text: String) -> Bool {
    guard let mark = text.firstRange(of: "://") else { return false }
    let authority = text.utf8[mark.upperBound...].prefix { !"/?#".utf8.contains($0) }
    return authority.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }
  }

  private func http(_ text: String) throws(Failure) -> SourceReference {
    guard Self.hasPlainAuthority(text), let url = URL(string: text), let host = url.host(), !host.isEmpty
    else {
      throw Failure(.sourceUnreachable, detail: "the source is no URL with a host; percent-encode it")
    }
    let literal = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    if let kind = AddressKind(literal), !addresses.contains(kind) {
      throw Failure(.sourceRefused, detail: "addresses of the kind \(kind.rawValue) are not allowed")
    }
    let port = url.port.map { ":\($0)" } ?? ""
    return SourceReference(text: text, kind: .http, url: url, share: host.lowercased() + port)
  }

  /// The loader refuses files outside of the root, also behind links.
  private func local(_ rest: Substring, _ text: String) throws(Failure) -> SourceReference {
    guard !localRoot.isEmpty else {
      throw Failure(.sourceUnreachable, detail: "local sources are not configured")
    }
    var path = String(rest)
    if !querySeparator.isEmpty, let query = path.firstRange(of: querySeparator) {
      path = String(path[..<query.lowerBound])
    }
    return SourceReference(
      text: text, kind: .local, url: try Self.file(path, in: localRoot), share: "local")
  }

  /// The key is what follows the bucket, as it is: nothing of it is percent-decoded. The query is the version of the object.
  private func object(_ rest: Substring, _ text: String) throws(Failure) -> SourceReference {
    var path = String(rest)
    var version: String?
    if !querySeparator.isEmpty, let query = path.firstRange(of: querySeparator) {
      version = String(path[query.upperBound...])
      path = String(path[..<query.lowerBound])
    }
    let parts = path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty,
      parts[0].utf8.allSatisfy({
        "-._".utf8.contains($0) || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39)
      })
    else {
      throw Failure(.sourceUnreachable, detail: "the source names no object; write s3://bucket/key")
    }
    var components = URLComponents()
    components.scheme = "s3"
    components.host = parts[0]
    components.path = "/" + parts[1]
    if let version, !version.isEmpty {
      components.queryItems = [URLQueryItem(name: "versionId", value: version)]
    }
    guard let url = components.url else {
      throw Failure(.sourceUnreachable, detail: "the source names no object; write s3://bucket/key")
    }
    return SourceReference(text: text, kind: .http, url: url, share: "s3:" + parts[0])
  }

  private static func file(_ path: String, in folder: String) throws(Failure) -> URL {
    let segments = path.split(separator: "/", omittingEmptySubsequences: true)
    guard !segments.isEmpty, !segments.contains(".."), !path.utf8.contains(0) else {
      throw Failure(.sourceRefused, detail: "the path of a local source is empty or leads out of its folder")
    }
    return URL(filePath: folder + "/" + segments.joined(separator: "/"))
  }
}
