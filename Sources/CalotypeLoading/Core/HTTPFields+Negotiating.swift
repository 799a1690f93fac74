import HTTPTypes

extension HTTPFields {
  /// The fields that may be sent to any server.
  var negotiating: HTTPFields { HTTPFields(filter(\.isNegotiating)) }
}

extension HTTPField {
  /// Whether the field negotiates content and does not identify the client.
  var isNegotiating: Bool { Self.negotiating.contains(name) }

  private static let negotiating: Set<HTTPField.Name> = [
    .accept, .acceptLanguage, .cacheControl, .ifMatch, .ifModifiedSince, .ifNoneMatch, .ifRange,
    .ifUnmodifiedSince,
    .range, .userAgent,
  ]
}
