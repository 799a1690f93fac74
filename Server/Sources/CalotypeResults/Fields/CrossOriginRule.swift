public import HTTPTypes

/// The fields that let scripts of other origins read images (CORS): `IMGPROXY_ALLOW_ORIGIN`.
public struct CrossOriginRule: Hashable, Sendable {
  /// The allowed origins. One is sent as it is, `*` among them; of several, the one that the request names, if it is there.
  public var origins: [String]

  /// Allows origins, at most 256; none allows no script.
  public init(origins: [String] = []) {
    self.origins = Array(origins.prefix(256))
  }

  /// Whether the response depends on `Origin`.
  public var varies: Bool { origins.count > 1 && !origins.contains("*") }

  /// Returns the fields for a request with an `Origin` field.
  public func fields(origin: String?) -> HTTPFields {
    var fields = HTTPFields()
    let allowed: String? =
      origins.contains("*") ? "*" : origins.count == 1 ? origins.first : origins.first { $0 == origin }
    if let allowed {
      fields[.accessControlAllowOrigin] = allowed
      fields[.accessControlAllowMethods] = "GET, OPTIONS"
    }
    return fields
  }
}
