import FoundationEssentials
import HTTPTypes

/// The head of the final response of a transfer.
struct ResponseHead: Sendable, Equatable {
  let url: URL
  let status: Int
  let headers: HTTPFields
  /// Bytes of the body as the consumer will see them; `nil` when unknown.
  let expectedLength: Int?
  let contentType: String?
  /// What led here.
  var redirects: [Redirect] = []

  /// Looks through the fields once: what is asked for per chunk must not cost a search each time.
  init(url: URL, status: Int, headers: HTTPFields) {
    self.url = url
    self.status = status
    self.headers = headers
    var length: String?
    var type: String?
    // Without a body; or with one whose end another field tells.
    var isUnknown = status == 204 || status == 304
    for field in headers {
      switch field.name {
      // Two lengths are none.
      case .contentLength: length = length == nil ? field.value : ""
      case .contentType: type = type.map { "\($0), \(field.value)" } ?? field.value
      case .transferEncoding: isUnknown = true
      // A content coding is undone on the way, so the declared length is that of other bytes.
      case .contentEncoding: isUnknown = isUnknown || field.value.lowercased() != "identity"
      default: break
      }
    }
    if let length, !isUnknown, length.utf8.allSatisfy({ (48...57).contains($0) }) {
      expectedLength = Int(length)
    } else {
      expectedLength = nil
    }
    contentType = type
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
