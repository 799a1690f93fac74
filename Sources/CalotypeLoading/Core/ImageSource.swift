import CalotypeSupport
public import FoundationEssentials

/// The source of an image.
///
/// ```swift
/// let remote = ImageSource.url(url)
/// let local = ImageSource.data(bytes, id: "upload-17")
/// let upload = ImageSource.stream(ByteStream(body, expectedLength: length), id: "upload-18")
/// let avatar = ImageSource.provider(id: "avatar-19", version: row.revision) { try await database.bytes(of: row) }
/// ```
public enum ImageSource: Sendable {
  /// An `http`, `https`, `file` or `data` URL, or a URL of a scheme that a custom loader accepts.
  case url(URL)
  /// Bytes in memory. `id` is the identity: two sources with the same `id` are the same image, regardless of their
  /// bytes.
  case data(Data, id: String)
  /// A stream of bytes, to be loaded once. `id` is the identity, as for ``data(_:id:)``: give each stream its own.
  case stream(ByteStream, id: String)
  /// Bytes that a closure provides when they are needed, from a database or an object store. `id` and version are the
  /// identity: ``provider(id:version:fetch:)``.
  case provider(DataProvider)

  /// The URL, if the source is one.
  public var url: URL? {
    if case .url(let url) = self { url } else { nil }
  }

  /// The scheme of the URL in lower case.
  var scheme: String? { url?.scheme?.lowercased() }

  /// A placeholder URL for sources without a URL.
  static let urlOfBytes = URL(string: "calotype-data:") ?? URL(filePath: "/")
}

extension ImageSource: Hashable {
  /// URLs are compared as URLs, bytes and streams by their `id` alone, providers by `id` and version.
  public static func == (left: ImageSource, right: ImageSource) -> Bool {
    switch (left, right) {
    case (.url(let left), .url(let right)): left == right
    case (.data(_, let left), .data(_, let right)): left == right
    case (.stream(_, let left), .stream(_, let right)): left == right
    case (.provider(let left), .provider(let right)): left == right
    default: false
    }
  }

  /// Hashes the URL or the `id`, never the bytes.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .url(let url):
      hasher.combine(0)
      hasher.combine(url)
    case .data(_, let id):
      hasher.combine(1)
      hasher.combine(id)
    case .stream(_, let id):
      hasher.combine(2)
      hasher.combine(id)
    case .provider(let provider):
      hasher.combine(3)
      hasher.combine(provider)
    }
  }
}

extension ImageSource: CustomStringConvertible {
  /// The URL or the `id`, for logs: without user name and password; `data:` URLs and very long ones are truncated.
  public var description: String {
    switch self {
    case .url(let url): url.loggable
    case .data(let data, let id): "data \"\(RedactedURL.withoutUsers(id))\" (\(data.count) bytes)"
    case .stream(_, let id): "stream \"\(RedactedURL.withoutUsers(id))\""
    case .provider(let provider):
      "provider \"\(RedactedURL.withoutUsers(provider.id))\""
        + (provider.version.map { ", version \(RedactedURL.withoutUsers($0))" } ?? "")
    }
  }
}

extension URL {
  /// The URL for logs and errors: without user name and password, truncated if too long.
  var loggable: String {
    let text = absoluteString
    if scheme?.lowercased() == "data" {
      let head = text.prefix(64)
      return text.utf8.count > 64 ? "\(head)… (\(text.utf8.count) characters)" : text
    }
    let shown = RedactedURL.withoutUsers(text, isOne: true)
    return shown.utf8.count > 512 ? shown.prefix(500) + "…" : shown
  }
}
