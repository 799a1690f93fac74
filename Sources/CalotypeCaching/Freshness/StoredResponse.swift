public import FoundationEssentials
public import HTTPTypes

/// What a cache keeps of a response beside its bytes, to judge later whether they may still be used.
///
/// Of the header fields only those in ``keptNames`` are kept: no cookies, nothing that belongs to the connection, and
/// nothing that speaks of the form in which the bytes were sent. Of the request, no more than digests of the fields that
/// `Vary` names. Bounded: ``text`` has at most ``maxTextLength`` bytes. Times are whole seconds.
public struct StoredResponse: Hashable, Sendable {
  /// Most bytes of ``text``; a response that needs more is not kept.
  public static let maxTextLength = 32 << 10

  /// The header fields that are kept.
  public static let keptNames: [HTTPField.Name] =
    [.cacheControl, .age, .date, .expires, .eTag, .lastModified, .pragma, .vary]
    + descriptiveNames
  /// Those of them that say nothing of caching.
  static let descriptiveNames: [HTTPField.Name] = [
    .contentType, .contentLanguage, .contentDisposition, .contentLocation,
  ]

  /// The status of the response.
  public let status: Int
  /// Its header fields, as far as they are kept.
  public let fields: HTTPFields
  /// Seconds since 1970 when the request was sent.
  let requested: Int
  /// Seconds since 1970 when the header of the response had come.
  let received: Int
  /// What the response depends on.
  let selection: VaryKey

  /// Keeps what is needed of a response; `nil` if that is more than ``maxTextLength``.
  ///
  /// - Parameters:
  ///   - status: Its status.
  ///   - fields: All its header fields.
  ///   - request: The header fields of the request.
  ///   - requestTime: When the request was sent.
  ///   - responseTime: When the header of the response had come.
  public init?(
    status: Int, fields: HTTPFields, request: HTTPFields, requestTime: Date, responseTime: Date
  ) {
    self.init(
      status: status, kept: Self.kept(of: fields),
      selection: VaryKey(vary: fields[values: .vary], request: request),
      requested: HTTPSeconds.of(requestTime), received: HTTPSeconds.of(responseTime))
    guard (100...999).contains(status), isWithinLimit else { return nil }
  }

  /// Makes one of fields that passed ``kept(of:)``.
  init(status: Int, kept fields: HTTPFields, selection: VaryKey, requested: Int, received: Int) {
    self.status = status
    self.fields = fields
    self.selection = selection
    self.requested = requested
    self.received = received
  }

  /// When the request was sent.
  public var requestTime: Date { HTTPSeconds.date(requested) }
  /// When the header of the response had come.
  public var responseTime: Date { HTTPSeconds.date(received) }

  /// What the response says of caching.
  public var cacheControl: CacheControlHeader { CacheControlHeader(response: fields) }

  /// Whether the response is the one for another request, judged by the fields that `Vary` names (RFC 9111 §4.1).
  ///
  /// Never, if it depends on what is not in requests: `Vary: *`.
  public func matches(_ request: HTTPFields) -> Bool { selection.matches(request) }

  /// The fields to keep, with values of one line: control characters are spaces (RFC 9110 §5.5).
  static func kept(of fields: HTTPFields) -> HTTPFields {
    var kept = HTTPFields()
    var length = 0
    for name in keptNames {
      for value in fields[values: name] {
        let field = HTTPField(name: name, value: value)
        kept.append(field)
        // What is beyond the limit is not worth a copy: the whole will not be kept.
        length += field.value.utf8.count + 1
        if length > maxTextLength { return kept }
      }
    }
    return kept
  }
}
