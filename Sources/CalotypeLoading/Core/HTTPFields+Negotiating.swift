import HTTPTypes

extension HTTPFields {
  /// Those that may be sent to any server.
  var negotiating: HTTPFields { HTTPFields(filter(\.isNegotiating)) }
}

extension HTTPFields {
  /// Whether `Cache-Control` says `no-store` (RFC 9111 §5.2.1.5, §5.2.2.5): the exchange is kept nowhere.
  var forbidsStoring: Bool {
    self[values: .cacheControl].contains { value in
      value.split(separator: ",").contains { directive in
        let name = directive.split(separator: "=", maxSplits: 1).first ?? ""
        return name.filter { $0 != " " && $0 != "\t" }.lowercased() == "no-store"
      }
    }
  }
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
