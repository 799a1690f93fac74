import FoundationEssentials

/// The validators of the origin, passed on with a prefix, as imgproxy does: for the switch `origin-etag` alone, because all
/// variants of an image get the same tag.
public struct OriginValidators: Hashable, Sendable {
  /// Whether `ETag` and `If-None-Match` are passed on: `IMGPROXY_USE_ETAG`.
  public var passesEntityTag = true
  /// Whether `Last-Modified` and `If-Modified-Since` are passed on: `IMGPROXY_USE_LAST_MODIFIED`.
  public var passesLastModified = true
  /// A text that makes all earlier tags invalid: `IMGPROXY_ETAG_BUSTER`.
  public var entityTagBuster = ""
  /// A moment before which nothing counts as modified, in seconds since 1970: `IMGPROXY_LAST_MODIFIED_BUSTER`.
  public var lastModifiedBuster: Int?

  /// Creates the rule with the defaults of imgproxy.
  public init() {}

  /// The fields of a conditional request.
  public struct Conditions: Hashable, Sendable {
    /// The value of `If-None-Match`.
    public var ifNoneMatch: String?
    /// The value of `If-Modified-Since`.
    public var ifModifiedSince: String?

    /// Creates conditions.
    public init(ifNoneMatch: String? = nil, ifModifiedSince: String? = nil) {
      self.ifNoneMatch = ifNoneMatch
      self.ifModifiedSince = ifModifiedSince
    }
  }

  /// The fields of a response that name its version.
  public struct Validators: Hashable, Sendable {
    /// The value of `ETag`.
    public var entityTag: String?
    /// The value of `Last-Modified`.
    public var lastModified: String?

    /// Creates validators.
    public init(entityTag: String? = nil, lastModified: String? = nil) {
      self.entityTag = entityTag
      self.lastModified = lastModified
    }
  }

  /// Returns the conditions for the origin, from those of a client. A tag that is not one of this server voids them all.
  public func originConditions(from client: Conditions) -> Conditions {
    var result = Conditions()
    if passesEntityTag, let tag = client.ifNoneMatch, !tag.isEmpty {
      guard let known = originTag(of: tag) else { return Conditions() }
      result.ifNoneMatch = known
    }
    if passesLastModified, let date = client.ifModifiedSince, !date.isEmpty {
      if let lastModifiedBuster {
        if let parsed = HTTPDate(date), parsed.secondsSince1970 > lastModifiedBuster {
          result.ifModifiedSince = date
        }
      } else {
        result.ifModifiedSince = date
      }
    }
    return result
  }

  /// Returns the validators for a client, from those of the origin.
  public func clientValidators(from origin: Validators) -> Validators {
    var result = Validators()
    if passesEntityTag, let tag = origin.entityTag, !tag.isEmpty {
      result.entityTag = entityTagBuster.isEmpty ? tag : "\"\(entityTagBuster)/\(Self.encoded(tag))\""
    }
    if passesLastModified, let text = origin.lastModified, let date = HTTPDate(text) {
      let latest = max(date.secondsSince1970, lastModifiedBuster ?? .min)
      result.lastModified = latest == date.secondsSince1970 ? text : HTTPDate(secondsSince1970: latest).text
    }
    return result
  }

  /// Returns the tag of the origin within a tag of a client; `nil` if it is not one of this server.
  private func originTag(of tag: String) -> String? {
    if entityTagBuster.isEmpty { return tag }
    var text = tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    if text.hasPrefix("\""), text.hasSuffix("\""), text.utf8.count >= 2 { text = text.dropFirst().dropLast() }
    guard text.utf8.count <= 4096, text.hasPrefix(entityTagBuster + "/") else { return nil }
    let encoded = text.dropFirst(entityTagBuster.count + 1)
    let base64 = encoded.replacing("-", with: "+").replacing("_", with: "/")
    guard !encoded.contains("="), !encoded.contains("+"), !encoded.contains("/"),
      let data = Data(
        base64Encoded: base64 + String(repeating: "=", count: (4 - encoded.utf8.count % 4) % 4)),
      let decoded = String(bytes: data, encoding: .utf8), Self.isFieldValue(decoded)
    else { return nil }
    return decoded
  }

  private static func encoded(_ tag: String) -> String {
    Data(tag.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
      "=", with: "")
  }

  /// The text comes from a client, and goes to the origin as a field.
  private static func isFieldValue(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }
}
