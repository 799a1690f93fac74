import CalotypeSupport
public import FoundationEssentials

/// Where an image comes from.
///
/// ```swift
/// let remote = ImageSource.url(url)
/// let local = ImageSource.data(bytes, id: "upload-17")
/// let upload = ImageSource.stream(ByteStream(body, expectedLength: length), id: "upload-18")
/// ```
public enum ImageSource: Sendable {
  /// An `http`, `https`, `file` or `data` URL, or one of a scheme that a loader of your own accepts.
  case url(URL)
  /// Bytes at hand. `id` is the identity: two sources with the same `id` are the same image, whatever their
  /// bytes.
  case data(Data, id: String)
  /// Bytes that arrive, to be loaded once. `id` is the identity, as for ``data(_:id:)``: give each stream its own.
  case stream(ByteStream, id: String)

  /// The URL, if this is one.
  public var url: URL? {
    if case .url(let url) = self { url } else { nil }
  }

  /// The scheme of the URL in lower case.
  var scheme: String? { url?.scheme?.lowercased() }

  /// What stands for the URL of bytes and streams, which have none.
  static let urlOfBytes = URL(string: "calotype-data:") ?? URL(filePath: "/")
}

extension ImageSource: Hashable {
  /// URLs are compared as URLs, bytes and streams by their `id` alone.
  public static func == (left: ImageSource, right: ImageSource) -> Bool {
    switch (left, right) {
    case (.url(let left), .url(let right)): left == right
    case (.data(_, let left), .data(_, let right)): left == right
    case (.stream(_, let left), .stream(_, let right)): left == right
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
    }
  }
}

extension ImageSource: CustomStringConvertible {
  /// The URL or the `id`, fit for a log line: without user name and password, `data:` URLs and very long ones cut
  /// short.
  public var description: String {
    switch self {
    case .url(let url): url.loggable
    case .data(let data, let id): "data \"\(RedactedURL.withoutUsers(id))\" (\(data.count) bytes)"
    case .stream(_, let id): "stream \"\(RedactedURL.withoutUsers(id))\""
    }
  }
}

extension URL {
  /// The URL for people: without user name and password, what is too long cut.
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
