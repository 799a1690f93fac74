public import HTTPTypes

/// The fields that keep a browser from treating an image as anything else.
public struct SecurityRule: Hashable, Sendable {
  /// The `Content-Security-Policy` of each response, as imgproxy has it: nothing in an SVG document runs or loads.
  public static let contentSecurityPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"

  /// The value of `Cross-Origin-Resource-Policy`.
  public enum ResourcePolicy: String, Hashable, Sendable, CaseIterable {
    /// Any site may embed images.
    case crossOrigin = "cross-origin"
    /// The same site may.
    case sameSite = "same-site"
    /// The same origin may.
    case sameOrigin = "same-origin"
  }

  /// Whether and for whom images may be embedded; `nil` for no field.
  public var resourcePolicy: ResourcePolicy?

  /// Creates the rule without a resource policy.
  public init(resourcePolicy: ResourcePolicy? = nil) {
    self.resourcePolicy = resourcePolicy
  }

  /// The fields of each response.
  public var fields: HTTPFields {
    var fields = HTTPFields()
    fields[.contentSecurityPolicy] = Self.contentSecurityPolicy
    fields[.xContentTypeOptions] = "nosniff"
    if let resourcePolicy { fields[.crossOriginResourcePolicy] = resourcePolicy.rawValue }
    return fields
  }
}
