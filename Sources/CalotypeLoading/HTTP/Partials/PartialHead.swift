import FoundationEssentials
import HTTPTypes

/// What is known of a body of which a part is kept: enough to ask for the rest, and to answer with the whole.
struct PartialHead: Codable, Hashable, Sendable {
  /// The strong validator of the bytes.
  var etag: String
  /// Where they came from after redirects, as a digest: it may be secret.
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

  /// Whether the bytes came from `url`.
  func isFrom(_ url: URL) -> Bool { place == LoaderIdentity.digest(url.absoluteString) }
}

extension LoadResponse {
  /// The response to a request for the rest as that to a request for all of it.
  ///
  /// - Parameter isComplete: There is no rest, and the body of this response is about that.
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
    // RFC 9110 §15.3.7: with If-Range a server leaves out what the client has already.
    if headers[.contentType] == nil { headers[.contentType] = kept.contentType }
    if headers[.lastModified] == nil { headers[.lastModified] = kept.lastModified }
    var response = LoadResponse(
      url: url, status: 200, headers: headers, expectedLength: total, contentType: headers[.contentType],
      body: isComplete ? LoadBody([]) : body)
    response.redirects = redirects
    return response
  }

  func replacingBody(_ producer: some LoadBodyProducing) -> LoadResponse {
    var response = self
    response.body = LoadBody(producer)
    return response
  }
}
