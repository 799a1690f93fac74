public import FoundationEssentials
public import HTTPTypes

extension FreshnessPolicy {
  /// Returns what a response removes from the caches by `Clear-Site-Data` (W3C Clear Site Data): everything of the origin
  /// that it came from, if it says `"cache"` or `"*"`.
  ///
  /// `nil` unless ``honorsClearSiteData`` is set, and for responses that did not come over `https`, because any host on the
  /// way could have written them. Types are compared exactly, with their quotes; others are ignored.
  ///
  /// - Parameters:
  ///   - response: The header fields of the response.
  ///   - url: The URL that it came from, after redirects.
  public func clearing(by response: HTTPFields, from url: URL) -> CacheSelection? {
    guard honorsClearSiteData, response.contains(.clearSiteData), let origin = WebOrigin(url),
      origin.scheme == "https", Self.clearsCache(response[values: .clearSiteData])
    else { return nil }
    return .origin(origin.text)
  }

  /// Whether the values of `Clear-Site-Data`, lists of quoted types, include the cache.
  static func clearsCache(_ values: some Sequence<String>) -> Bool {
    values.contains { value in
      value.utf8.split(separator: UInt8(ascii: ",")).contains { part in
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let trimmed = part.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        return ["\"cache\"", "\"*\""].contains { trimmed.elementsEqual($0.utf8) }
      }
    }
  }
}
