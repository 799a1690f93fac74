import CalotypeSupport
public import HTTPTypes

extension StoredResponse {
  /// The `ETag`, if it has one that is well-formed.
  public var entityTag: EntityTag? { fields[values: .eTag].first.flatMap(EntityTag.init) }

  /// The `Last-Modified` as the server wrote it, if it has one that is a date.
  public var lastModified: String? {
    guard let text = fields[values: .lastModified].first, HTTPDate(text, now: received) != nil else {
      return nil
    }
    return text
  }

  /// Whether the server can be asked if it is still the same.
  public var hasValidators: Bool { entityTag != nil || lastModified != nil }

  /// The fields that ask the server to answer 304 if it is still the same (RFC 9111 §4.3.1): `If-None-Match` and
  /// `If-Modified-Since`, as far as there are validators.
  public var conditionalFields: HTTPFields {
    var conditional = HTTPFields()
    if let entityTag { conditional[.ifNoneMatch] = entityTag.text }
    if let lastModified { conditional[.ifModifiedSince] = lastModified }
    return conditional
  }

  /// Whether a 304 with these fields speaks of this response (RFC 9111 §4.3.4).
  ///
  /// Entity tags are compared weakly, as the server did for `If-None-Match`: many make a tag weak when they compress and
  /// forget to in a 304. A date that is later is another version.
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
