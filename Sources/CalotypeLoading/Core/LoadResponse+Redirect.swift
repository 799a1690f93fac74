public import HTTPTypes

extension LoadResponse {
  /// An answer that led to another URL, on the way to a response.
  public struct Redirect: Hashable, Sendable {
    /// 301, 302, 303, 307 or 308.
    public let status: Int
    /// Its header fields.
    public let headers: HTTPFields

    /// Describes an answer.
    public init(status: Int, headers: HTTPFields) {
      self.status = status
      self.headers = headers
    }

    /// Whether it holds until it is taken back, and not only this time.
    public var isPermanent: Bool { status == 301 || status == 308 }
  }
}
