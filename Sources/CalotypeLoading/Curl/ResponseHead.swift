import FoundationEssentials
import HTTPTypes

/// The head of the final response of a transfer.
struct ResponseHead: Sendable, Equatable {
  let url: URL
  let status: Int
  let headers: HTTPFields
  /// Bytes of the body as the consumer will see them; `nil` when unknown.
  let expectedLength: Int?
  /// Whether it declares lengths that contradict each other, or one that is no number (RFC 9110 §8.6).
  let hasInvalidLength: Bool
  let contentType: String?
  /// The redirects that led here.
  var redirects: [LoadResponse.Redirect] = []

  /// Looks through the fields once: what is asked for per chunk must not cost a search each time.
  init(url: URL, status: Int, headers: HTTPFields) {
    self.url = url
    self.status = status
    self.headers = headers
    var length: Length?
    var type: String?
    // Without a body; or with one whose end another field tells.
    var isUnknown = status == 204 || status == 304
    for field in headers {
      switch field.name {
      case .contentLength: length = Length(field.value, after: length)
      case .contentType: type = type.map { "\($0), \(field.value)" } ?? field.value
      case .transferEncoding: isUnknown = true
      // A content coding is undone on the way, so the declared length is that of other bytes.
      case .contentEncoding: isUnknown = isUnknown || field.value.lowercased() != "identity"
      default: break
      }
    }
    switch length {
    case .bytes(let count)? where !isUnknown: (expectedLength, hasInvalidLength) = (count, false)
    // An unused length may be anything.
    case .invalid?: (expectedLength, hasInvalidLength) = (nil, !isUnknown)
    default: (expectedLength, hasInvalidLength) = (nil, false)
    }
    contentType = type
  }

  /// What `Content-Length` fields say together: the same number several times is that number.
  private enum Length: Equatable {
    case bytes(Int)
    case invalid

    init(_ text: String, after before: Length?) {
      var length = before
      for part in text.split(separator: ",", omittingEmptySubsequences: false) {
        let text = part.utf8.drop { $0 == 32 || $0 == 9 }
        let digits = text.prefix { (48...57).contains($0) }
        let rest = text.dropFirst(digits.count)
        let isNumber = !digits.isEmpty && rest.allSatisfy { $0 == 32 || $0 == 9 }
        let next = isNumber ? Int(Substring(digits)).map { Length.bytes($0) } ?? .invalid : .invalid
        length = length == nil || length == next ? next : .invalid
      }
      self = length ?? .invalid
    }
  }

  /// Where a redirect leads that is followed (RFC 9110 §15.4).
  var redirectLocation: String? {
    guard [301, 302, 303, 307, 308].contains(status), let location = headers[.location], !location.isEmpty
    else {
      return nil
    }
    return location
  }
}
