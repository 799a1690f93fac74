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
    if outcome == .whole {
      return Reply(status: .ok, fields: wholeFields(at: now), data: method == .head ? Data() : data)
    }
    var reply = headerFields(at: now)
    var body = Data()
    switch outcome {
    case .whole: break
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
    if method == .get, !fields.contains(where: { $0.name.mayBeConditional }) { return .whole }
    var conditions = fields
    // The date is that of the original: other bytes may have been made of it since (RFC 9110 §13.1.5).
    if let condition = fields[.ifRange], EntityTag(condition) == nil { conditions[values: .range] = [] }
    return Preconditions(method: method, fields: conditions).outcome(
      entityTag: entityTag, lastModified: lastModified, length: data.count, now: now)
  }

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
  public func headerFields(at now: Date = .now) -> HTTPFields { headerFields(for: lifetime(at: now)) }

  private func headerFields(for lifetime: ReplyLifetime) -> HTTPFields {
    var fields = lastingFields
    if let cacheControl = cacheControl(for: lifetime) {
      fields.append(HTTPField(name: .cacheControl, value: cacheControl))
    }
    if lifetime.variesOnAccept { fields.append(HTTPField(name: .vary, value: "Accept")) }
    return fields
  }

  /// Returns the fields of a reply with all bytes.
  private func wholeFields(at now: Date) -> HTTPFields {
    let lifetime = lifetime(at: now)
    return recentFields.fields(for: lifetime) {
      var fields = headerFields(for: lifetime)
      fields.append(HTTPField(name: .contentLength, value: String(data.count)))
      return fields
    }
  }

  /// Returns the `Cache-Control` for clients and caches (RFC 9111 §5.2.2): the remaining freshness of the original, for
  /// one user alone if the original is, and not to be transformed if the original is not; `nil` for an original without an
  /// HTTP response, whose lifetime the program knows. The shorter `max-age` of an original with `s-maxage`, and
  /// `must-revalidate`, are passed on.
  public func cacheControl(at now: Date = .now) -> String? { cacheControl(for: lifetime(at: now)) }

  private func lifetime(at now: Date) -> ReplyLifetime {
    var lifetime = ReplyLifetime(isPrivate: isPrivate, variesOnAccept: variesOnAccept)
    guard isStorable, let freshUntil else { return lifetime }
    let seconds = Int(max(0, min(freshUntil.timeIntervalSince(now), 1e9)).rounded(.down))
    lifetime.seconds = seconds
    if seconds > 0, !isPrivate, let ownMaxAge = lastingTerms.ownMaxAge, let age = age(at: now) {
      // Browsers may keep it for less time than this cache.
      lifetime.ownSeconds = max(0, min(seconds, ownMaxAge - Int(min(age / .seconds(1), 1e9))))
    }
    return lifetime
  }

  private func cacheControl(for lifetime: ReplyLifetime) -> String? {
    var terms = forbidsTransformation ? ", no-transform" : ""
    if !isStorable { return "no-store" + terms }
    guard let seconds = lifetime.seconds else { return lifetime.isPrivate ? "private" + terms : nil }
    let scope = lifetime.isPrivate ? "private, " : ""
    if seconds == 0 { return scope + "no-cache" + terms }
    if lastingTerms.mustRevalidate { terms += ", must-revalidate" }
    guard let own = lifetime.ownSeconds, own != seconds else { return scope + "max-age=\(seconds)" + terms }
    return "max-age=\(own), s-maxage=\(seconds)" + terms
  }
}

extension HTTPField.Name {
  /// Whether the field may be a condition or a range of a request: `If-…`, `Range`. Without hashes: it is asked of each
  /// field of each request.
  fileprivate var mayBeConditional: Bool {
    let name = canonicalName.utf8
    return switch name.first {
    case UInt8(ascii: "i"): name.count >= 8 && name.starts(with: "if-".utf8)
    case UInt8(ascii: "r"): name.count == 5
    default: false
    }
  }
}
