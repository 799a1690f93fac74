import CalotypeSupport
import HTTPTypes

/// What the header fields of a whole reply with an encoded image depend on, besides the image.
struct ReplyLifetime: Hashable, Sendable {
  var isPrivate: Bool
  var variesOnAccept: Bool
  /// The remaining freshness, in seconds; `nil` for no limit.
  var seconds: Int?
  /// The remaining `max-age` of an original that has an `s-maxage` as well, in seconds.
  var ownSeconds: Int?
}

/// The header fields of the last whole reply with an encoded image. They change once a second at most, and a popular
/// image is sent thousands of times in that time.
final class RecentReplyFields: Sendable {
  private let last = Lock<(lifetime: ReplyLifetime, fields: HTTPFields)?>(nil)

  /// Returns the fields for a lifetime: the last ones, or those that `make` returns.
  func fields(for lifetime: ReplyLifetime, make: () -> HTTPFields) -> HTTPFields {
    let known = last.withLock { last in last?.lifetime == lifetime ? last?.fields : nil }
    if let known { return known }
    let fields = make()
    last.withLock { $0 = (lifetime, fields) }
    return fields
  }
}
