public import HTTPTypes

extension LoadResponse {
  /// A redirect that was followed.
  public struct Redirect: Hashable, Sendable {
    /// 301, 302, 303, 307 or 308.
    public let status: Int
    /// The header fields of the redirect.
    public let headers: HTTPFields

    /// Describes a redirect.
    public init(status: Int, headers: HTTPFields) {
      self.status = status
      self.headers = headers
    }

    /// Whether the redirect is permanent.
    public var isPermanent: Bool { status == 301 || status == 308 }
  }
}
