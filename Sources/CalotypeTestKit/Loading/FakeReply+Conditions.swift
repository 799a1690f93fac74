import CalotypeLoading
import FoundationEssentials

extension FakeReply {
  /// Whether what the request holds is what this reply is about (RFC 9110 §13.1). Dates are compared as text.
  func isHeld(by request: LoadRequest) -> Bool {
    guard status == 200 else { return false }
    // Those of another resource are not sent.
    let validators = request.validators.flatMap { $0.url == url ? $0 : nil }
    if let validators, url != nil, validators.isFresh { return true }
    if let held = validators?.etag ?? request.headers[.ifNoneMatch] {
      guard let etag = headers[.eTag] else { return false }
      return held.split(separator: ",").contains { candidate in
        let candidate = candidate.drop { $0 == " " }
        return candidate == "*" || Self.opaque(candidate) == Self.opaque(etag[...])
      }
    }
    let date = validators?.lastModified ?? request.headers[.ifModifiedSince]
    return date != nil && date == headers[.lastModified]
  }

  /// An entity tag without its mark of weakness, which does not count here.
  private static func opaque(_ tag: Substring) -> Substring {
    let tag = tag.hasPrefix("W/") ? tag.dropFirst(2) : tag
    return tag.last == " " ? opaque(tag.dropLast()) : tag
  }
}
