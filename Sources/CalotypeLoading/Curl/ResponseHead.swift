import FoundationEssentials
import HTTPTypes

/// The head of the final response of a transfer.
struct ResponseHead: Sendable, Equatable {
  let url: URL
  let status: Int
  let headers: HTTPFields
  /// Length of the body for the consumer, in bytes; `nil` when unknown.
  let expectedLength: Int?
  /// Whether it declares contradictory or malformed lengths (RFC 9110 §8.6).
  let hasInvalidLength: Bool
  let contentType: String?
  /// The redirects that led here.
  var redirects: [LoadResponse.Redirect] = []

  /// Reads the fields once, because a search for each chunk would be slow.
  init(url: URL, status: Int, headers: HTTPFields) {
    self.url = url
    self.status = status
    self.headers = headers
    var length: Length?
    var type: String?
    // There is no body, or another field determines its end.
    var isUnknown = status == 204 || status == 304
    for field in headers {
      switch field.name {
      case .contentLength: length = Length(field.value, after: length)
      case .contentType: type = type.map { "\($0), \(field.value)" } ?? field.value
      case .transferEncoding: isUnknown = true
      // A content coding is decoded on the way, so the declared length is that of the encoded bytes.
      case .contentEncoding: isUnknown = isUnknown || field.value.lowercased() != "identity"
      default: break
      }
    }
    switch length {
    case .bytes(let count)? where !isUnknown: (expectedLength, hasInvalidLength) = (count, false)
    // An unused length may have any value.
    case .invalid?: (expectedLength, hasInvalidLength) = (nil, !isUnknown)
    default: (expectedLength, hasInvalidLength) = (nil, false)
    }
    contentType = type
  }

  /// The length that the `Content-Length` fields declare: repeated fields with one number count as that number.
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

  /// The target of a redirect that the loader follows (RFC 9110 §15.4).
  var redirectLocation: String? {
    guard [301, 302, 303, 307, 308].contains(status), let location = headers[.location], !location.isEmpty
    else {
      return nil
    }
    return location
  }
}
