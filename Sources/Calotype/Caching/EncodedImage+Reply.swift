import CalotypeCaching
public import FoundationEssentials
public import HTTPTypes

extension EncodedImage {
  /// A response of a server with an encoded image: status, header fields, and the bytes of its body.
  public struct Reply: Sendable {
    /// The status: 200, 206, 304, 412 or 416.
    public let status: HTTPResponse.Status
    /// The header fields.
    public let fields: HTTPFields
    /// The body: all bytes, some of them, or none.
    public let data: Data
  }

  /// Returns the response to a request with these header fields: the image, a part of it, or the information that the
  /// client has it already (RFC 9110 §13, §14).
  ///
  /// ```swift
  /// let image = try await pipeline.encoded(request, as: .negotiated(accept: head.headerFields[.accept]))
  /// let reply = image.reply(to: head.headerFields)
  /// ```
  ///
  /// - Parameters:
  ///   - fields: The header fields of the request: `If-Match`, `If-None-Match`, `If-Modified-Since`,
  ///     `If-Unmodified-Since`, `Range`, `If-Range`.
  ///   - method: The method of the request. The body of a response to `HEAD` is empty.
  ///   - now: The time, for ages and dates.
  public func reply(
    to fields: HTTPFields, method: HTTPRequest.Method = .get, now: Date = .now
  ) -> Reply {
    let outcome = outcome(for: fields, method, now)
    var reply = headerFields(at: now)
    var body = Data()
    switch outcome {
    case .whole: body = data
    case .partial(let range):
      body = data[(data.startIndex + range.lowerBound)..<(data.startIndex + range.upperBound)]
    case .notModified:
      // The client has the fields that describe the bytes.
      reply[.contentType] = nil
      reply[.lastModified] = nil
    case .preconditionFailed, .rangeNotSatisfiable:
      reply = HTTPFields()
    }
    if outcome != .notModified { reply[.contentLength] = String(body.count) }
    reply[.contentRange] = outcome.contentRange(length: data.count)
    return Reply(status: outcome.status, fields: reply, data: method == .head ? Data() : body)
  }

  private func outcome(
    for fields: HTTPFields, _ method: HTTPRequest.Method, _ now: Date
  ) -> Preconditions.Outcome {
    // Most requests have none of them.
    let isPlain = method == .get && !fields.contains { Self.conditionalNames.contains($0.name) }
    if isPlain { return .whole }
    var conditions = fields
    // The date is that of the original: other bytes may have been made of it since (RFC 9110 §13.1.5).
    if let condition = fields[.ifRange], EntityTag(condition) == nil { conditions[values: .range] = [] }
    return Preconditions(method: method, fields: conditions).outcome(
      entityTag: entityTag, lastModified: lastModified, length: data.count, now: now)
  }

  private static let conditionalNames: Set<HTTPField.Name> = [
    .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .range, .ifRange,
  ]

  /// Returns the response to a GET request with these fields: as ``reply(to:method:now:)``.
  public func evaluate(
    ifNoneMatch: String? = nil, ifModifiedSince: String? = nil, range: String? = nil, now: Date = .now
  ) -> Reply {
    var fields = HTTPFields()
    fields[.ifNoneMatch] = ifNoneMatch
    fields[.ifModifiedSince] = ifModifiedSince
    fields[.range] = range
    return reply(to: fields, now: now)
  }

  /// Returns the fields that describe the image: `Content-Type`, `ETag`, `Last-Modified`, `Cache-Control`, `Vary`,
  /// `Accept-Ranges`.
  public func headerFields(at now: Date = .now) -> HTTPFields {
    var fields = lastingFields
    if let cacheControl = cacheControl(at: now) {
      fields.append(HTTPField(name: .cacheControl, value: cacheControl))
    }
    if variesOnAccept { fields.append(HTTPField(name: .vary, value: "Accept")) }
    return fields
  }

  /// Returns the `Cache-Control` for clients and caches (RFC 9111 §5.2.2): the remaining freshness of the original, for
  /// one user alone if the original is, and not to be transformed if the original is not; `nil` for an original without an
  /// HTTP response, whose lifetime the program knows. The shorter `max-age` of an original with `s-maxage`, and
  /// `must-revalidate`, are passed on.
  public func cacheControl(at now: Date = .now) -> String? {
    var terms = forbidsTransformation ? ", no-transform" : ""
    if !isStorable { return "no-store" + terms }
    let scope = isPrivate ? "private, " : ""
    guard let freshUntil else { return isPrivate ? "private" + terms : nil }
    let seconds = Int(max(0, min(freshUntil.timeIntervalSince(now), 1e9)).rounded(.down))
    if seconds == 0 { return scope + "no-cache" + terms }
    let (mustRevalidate, ownMaxAge) = lastingTerms
    if mustRevalidate { terms += ", must-revalidate" }
    guard let ownMaxAge, !isPrivate, let age = age(at: now) else {
      return scope + "max-age=\(seconds)" + terms
    }
    // Browsers may keep it for less time than this cache.
    let own = max(0, min(seconds, ownMaxAge - Int(min(age / .seconds(1), 1e9))))
    return own == seconds ? "max-age=\(seconds)" + terms : "max-age=\(own), s-maxage=\(seconds)" + terms
  }
}
