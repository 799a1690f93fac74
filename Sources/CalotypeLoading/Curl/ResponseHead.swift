import FoundationEssentials
import HTTPTypes

/// The head of the final response of a transfer.
struct ResponseHead: Sendable, Equatable {
  var url: URL
  var status: Int
  var headers: HTTPFields

  /// Bytes of the body as the consumer will see them; `nil` when unknown.
  var expectedLength: Int? {
    if status == 204 || status == 304 { return nil }
    // A content coding is undone on the way, so the declared length is that of other bytes.
    if let coding = headers[.contentEncoding]?.lowercased(), coding != "identity" { return nil }
    if headers[.transferEncoding] != nil { return nil }
    guard let text = headers[.contentLength], text.utf8.allSatisfy({ (48...57).contains($0) }) else {
      return nil
    }
    return Int(text)
  }

  var contentType: String? { headers[.contentType] }

  /// Where a redirect leads that is followed (RFC 9110 §15.4).
  var redirectLocation: String? {
    guard [301, 302, 303, 307, 308].contains(status), let location = headers[.location], !location.isEmpty
    else {
      return nil
    }
    return location
  }
}
