public import CalotypeURLs

/// The negotiated formats that a policy offers to a client and that the client names, in order of preference.
///
/// Ranges such as `image/*` name no format: clients send them that can show none of these.
public struct ClientFormats: Hashable, Sendable {
  /// The formats for URLs without one.
  public private(set) var preferred: [RequestedFormat] = []
  /// The formats for all URLs.
  public private(set) var enforced: [RequestedFormat] = []

  /// Compares a policy with the header field of a client. The weight of the client decides; between equal ones, JPEG XL
  /// comes before AVIF, and AVIF before WebP.
  public init(_ policy: PlanningPolicy, accept: AcceptHeader) {
    let named = RequestedFormat.negotiated.map(\.format).enumerated().filter { _, format in
      policy.writableFormats.contains(format) && accept.names(format.mediaType)
        && (policy.automaticFormats.contains(format) || policy.enforcedFormats.contains(format))
    }.sorted { first, second in
      let weights = (accept.weight(of: first.element.mediaType), accept.weight(of: second.element.mediaType))
      return weights.0 != weights.1 ? weights.0 > weights.1 : first.offset < second.offset
    }.map(\.element)
    preferred = named
    enforced = named.filter(policy.enforcedFormats.contains)
  }
}
