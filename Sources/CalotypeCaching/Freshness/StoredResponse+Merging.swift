public import FoundationEssentials
public import HTTPTypes

extension StoredResponse {
  /// Returns the response after a 304: the same bytes with updated header fields (RFC 9111 §3.2).
  ///
  /// Fields of the 304 replace fields of the same name. Fields that describe the bytes (`Content-Type` and all that
  /// begin with `Content-`) stay, because no bytes arrived. `Age` and `Date` come only from the 304: the old ones would
  /// make the response old again.
  ///
  /// - Parameters:
  ///   - notModified: The header fields of the 304.
  ///   - request: The header fields of the conditional request.
  ///   - requestTime: When the conditional request was sent.
  ///   - responseTime: When the 304 arrived.
  /// - Returns: `nil` when the 304 is for another version or the result would be too long. The response must then be
  ///   loaded anew.
  public func merged(
    notModified: HTTPFields, request: HTTPFields, requestTime: Date, responseTime: Date
  ) -> StoredResponse? {
    guard isConfirmed(by: notModified) else { return nil }
    let news = Self.kept(of: notModified)
    var fields = fields
    fields[values: .age] = []
    fields[values: .date] = []
    for name in Self.keptNames where !Self.descriptiveNames.contains(name) && news.contains(name) {
      fields[values: name] = news[values: name]
    }
    let merged = StoredResponse(
      status: status, kept: fields, selection: VaryKey(vary: fields[values: .vary], request: request),
      requested: HTTPSeconds.of(requestTime), received: HTTPSeconds.of(responseTime))
    return merged.isWithinLimit ? merged : nil
  }
}
