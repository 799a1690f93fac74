import HTTPTypes

/// Classifies the response to a range request for the rest of a body (RFC 9110 §15.3.7, §15.5.17).
enum RangeResumption: Hashable {
  /// The rest.
  case rest
  /// There is no rest: the body is complete.
  case complete
  /// The whole body from the beginning, changed or not.
  case whole
  /// Neither the rest nor a whole body.
  case changed
  /// A part of another resource, to which a redirect leads now. Validators do not apply to it (RFC 9110 §8.8.3).
  case elsewhere

  /// - Parameters:
  ///   - isSamePlace: Whether the response has the same URL as the stored bytes.
  ///   - offset: The number of bytes that exist; the request begins with the next.
  ///   - total: Length of the whole body, if it was known.
  ///   - etag: The strong validator of these bytes; `nil` if they have none.
  init(status: Int?, headers: HTTPFields, isSamePlace: Bool, offset: Int, total: Int?, etag: String?) {
    let isSame = etag == nil || headers[.eTag] == nil || headers[.eTag] == etag
    switch status {
    case 206 where !isSamePlace, 416 where !isSamePlace:
      self = .elsewhere
    case 206:
      guard isSame, headers[.contentEncoding].map({ $0.lowercased() == "identity" }) ?? true,
        let text = headers[.contentRange], case .bytes(let range, let declared) = ContentRange(text),
        range.lowerBound == offset, Self.agree(declared, total),
        // A server may send less than the rest, which would take a request for every piece.
        declared.map({ range.upperBound == $0 }) ?? true, total.map({ range.upperBound == $0 }) ?? true
      else {
        self = .changed
        return
      }
      self = .rest
    case 416:
      guard let text = headers[.contentRange], case .unsatisfied(let declared) = ContentRange(text),
        isSame, declared == offset, Self.agree(declared, total)
      else {
        self = .changed
        return
      }
      self = .complete
    default:
      self = .whole
    }
  }

  private static func agree(_ one: Int?, _ other: Int?) -> Bool {
    one == nil || other == nil || one == other
  }
}
