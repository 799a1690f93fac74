public import FoundationEssentials
public import HTTPTypes

/// What to load: the source, what the response may vary on, and the limits.
///
/// ```swift
/// var request = LoadRequest(url: url)
/// request.headers[.authorization] = "Bearer …"
/// request.timeouts.total = .seconds(30)
/// let (bytes, response) = try await loader.data(for: request)
/// ```
public struct LoadRequest: Hashable, Sendable {
  /// Where the bytes come from.
  public var source: ImageSource
  /// Header fields to send; they win over the loader's own. Local sources ignore them.
  public var headers: HTTPFields
  /// Deadlines.
  public var timeouts: LoadTimeouts
  /// Largest body to accept, in bytes; checked against the declared length and while receiving.
  public var maxBytes: Int

  /// 256 MiB.
  public static let defaultMaxBytes = 256 << 20

  /// A request for `source`.
  public init(
    source: ImageSource, headers: HTTPFields = HTTPFields(), timeouts: LoadTimeouts = LoadTimeouts(),
    maxBytes: Int = LoadRequest.defaultMaxBytes
  ) {
    self.source = source
    self.headers = headers
    self.timeouts = timeouts
    self.maxBytes = maxBytes
  }

  /// A request for the image at `url`.
  public init(
    url: URL, headers: HTTPFields = HTTPFields(), timeouts: LoadTimeouts = LoadTimeouts(),
    maxBytes: Int = LoadRequest.defaultMaxBytes
  ) {
    self.init(source: .url(url), headers: headers, timeouts: timeouts, maxBytes: maxBytes)
  }
}
