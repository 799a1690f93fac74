public import FoundationEssentials
public import HTTPTypes

extension StoredResponse {
  /// The response after the server said 304: the same bytes, with what the server now says of them (RFC 9111 §3.2).
  ///
  /// Fields of the 304 take the place of those with the same name. What speaks of the bytes stays: `Content-Type` as all
  /// that begins with `Content-`, because no bytes came. `Age` and `Date` are of the 304 or of nobody: the old ones
  /// would make it old again.
  ///
  /// - Parameters:
  ///   - notModified: The header fields of the 304.
  ///   - request: The header fields of the request that it answers.
  ///   - requestTime: When that was sent.
  ///   - responseTime: When the 304 came.
  /// - Returns: `nil` when the validators of the 304 are those of another version, or the result would be too long: then
  ///   the response has to be loaded anew.
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
