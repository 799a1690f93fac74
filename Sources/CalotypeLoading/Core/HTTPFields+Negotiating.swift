import HTTPTypes

extension HTTPFields {
  /// Those that may be sent to any server.
  var negotiating: HTTPFields { HTTPFields(filter(\.isNegotiating)) }
}

extension HTTPField {
  /// Whether it says what we want, and not who we are.
  var isNegotiating: Bool { Self.negotiating.contains(name) }

  private static let negotiating: Set<HTTPField.Name> = [
    .accept, .acceptLanguage, .cacheControl, .ifMatch, .ifModifiedSince, .ifNoneMatch, .ifRange,
    .ifUnmodifiedSince,
    .range, .userAgent,
  ]
}
