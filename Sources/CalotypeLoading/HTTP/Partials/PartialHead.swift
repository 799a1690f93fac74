import FoundationEssentials
import HTTPTypes

/// The description of a partially stored body: enough to request the rest and to build the whole response.
struct PartialHead: Codable, Hashable, Sendable {
  /// The strong validator of the bytes.
  var etag: String
  /// The digest of their URL after redirects, which may be secret.
  var place: String
  /// Length of the whole body.
  var total: Int?
  var contentType: String?
  var lastModified: String?

  init?(_ response: LoadResponse) {
    guard let etag = response.validators?.strong else { return nil }
    self.etag = etag
    place = LoaderIdentity.digest(response.url.absoluteString)
    total = response.expectedLength
    contentType = response.contentType
    lastModified = response.headers[.lastModified]
  }

  /// Returns whether the bytes came from `url`.
  func isFrom(_ url: URL) -> Bool { place == LoaderIdentity.digest(url.absoluteString) }
}

extension LoadResponse {
  /// Turns the response to a range request into one to a request for the whole body.
  ///
  /// - Parameter isComplete: Whether there is no rest, so that the body of this response only reports that.
  func stitched(_ kept: PartialHead, url: URL, isComplete: Bool) -> LoadResponse {
    var headers = self.headers
    var total = kept.total
    if let text = headers[.contentRange] {
      switch ContentRange(text) {
      case .bytes(_, let declared): total = total ?? declared
      case .unsatisfied(let declared): total = declared
      case nil: break
      }
    }
    headers[.contentRange] = nil
    headers[.contentLength] = total.map(String.init)
    headers[.eTag] = kept.etag
    if isComplete { headers[.contentType] = nil }
    // RFC 9110 §15.3.7: with `If-Range` a server may omit fields that the client already has.
    if headers[.contentType] == nil { headers[.contentType] = kept.contentType }
    if headers[.lastModified] == nil { headers[.lastModified] = kept.lastModified }
    var response = LoadResponse(
      url: url, status: 200, headers: headers, expectedLength: total, contentType: headers[.contentType],
      body: isComplete ? LoadBody([]) : body)
    response.redirects = redirects
    return response
  }

  func replacingBody(_ producer: some LoadBody.Producing) -> LoadResponse {
    var response = self
    response.body = LoadBody(producer)
    return response
  }
}
