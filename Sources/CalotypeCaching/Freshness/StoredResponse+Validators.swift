import CalotypeSupport
public import FoundationEssentials
public import HTTPTypes

extension StoredResponse {
  /// The `ETag`, if there is a well-formed one.
  public var entityTag: EntityTag? { fields[values: .eTag].first.flatMap(EntityTag.init) }

  /// The `Last-Modified` as the server wrote it, if it is a date.
  public var lastModified: String? {
    guard let text = fields[values: .lastModified].first, HTTPDate(text, now: received) != nil else {
      return nil
    }
    return text
  }

  /// The time of the last change, if the server declares one.
  public var modificationDate: Date? {
    lastModified.flatMap { HTTPDate($0, now: received) }.map { HTTPSeconds.date($0.secondsSince1970) }
  }

  /// Whether the response can be revalidated.
  public var hasValidators: Bool { entityTag != nil || lastModified != nil }

  /// The fields of a conditional request (RFC 9111 §4.3.1): `If-None-Match` and `If-Modified-Since`, as far as the
  /// response has validators.
  public var conditionalFields: HTTPFields {
    var conditional = HTTPFields()
    if let entityTag { conditional[.ifNoneMatch] = entityTag.text }
    if let lastModified { conditional[.ifModifiedSince] = lastModified }
    return conditional
  }

  /// Whether a 304 with these fields confirms this response (RFC 9111 §4.3.4).
  ///
  /// Entity tags are compared weakly, as the server did for `If-None-Match`: many servers weaken a tag when they
  /// compress, but not in a 304. A later date is another version.
  func isConfirmed(by notModified: HTTPFields) -> Bool {
    if let theirs = notModified[values: .eTag].first.flatMap(EntityTag.init), let ours = entityTag {
      return ours.matchesWeakly(theirs)
    }
    if let theirs = notModified[values: .lastModified].first.flatMap({ HTTPDate($0, now: received) }),
      let ours = lastModified.flatMap({ HTTPDate($0, now: received) })
    {
      return theirs.secondsSince1970 <= ours.secondsSince1970
    }
    return true
  }
}
