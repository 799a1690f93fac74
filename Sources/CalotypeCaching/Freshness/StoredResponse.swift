public import FoundationEssentials
public import HTTPTypes

/// The part of a response that a cache stores beside its bytes, to decide later whether they may still be used.
///
/// Only the header fields in ``keptNames`` are kept: no cookies, and no fields about the connection or the transfer. Of
/// the request, only digests of the fields that `Vary` names are kept. ``text`` has at most ``maxTextLength`` bytes.
/// Times are whole seconds.
public struct StoredResponse: Hashable, Sendable {
  /// The most bytes of ``text``; a response that needs more is not stored.
  public static let maxTextLength = 32 << 10

  /// The header fields that are kept.
  public static let keptNames: [HTTPField.Name] =
    [.cacheControl, .age, .date, .expires, .eTag, .lastModified, .pragma, .vary]
    + descriptiveNames
  /// The kept fields that do not concern caching.
  static let descriptiveNames: [HTTPField.Name] = [
    .contentType, .contentLanguage, .contentDisposition, .contentLocation,
  ]

  /// The status of the response.
  public let status: Int
  /// The kept header fields.
  public let fields: HTTPFields
  /// Seconds since 1970 when the request was sent.
  let requested: Int
  /// Seconds since 1970 when the header of the response had arrived.
  let received: Int
  /// The request fields that the response varies by.
  let selection: VaryKey

  /// Describes a response; `nil` if that takes more than ``maxTextLength``.
  ///
  /// - Parameters:
  ///   - status: Its status.
  ///   - fields: All its header fields.
  ///   - request: The header fields of the request.
  ///   - requestTime: When the request was sent.
  ///   - responseTime: When the header of the response had arrived.
  public init?(
    status: Int, fields: HTTPFields, request: HTTPFields, requestTime: Date, responseTime: Date
  ) {
    self.init(
      status: status, kept: Self.kept(of: fields),
      selection: VaryKey(vary: fields[values: .vary], request: request),
      requested: HTTPSeconds.of(requestTime), received: HTTPSeconds.of(responseTime))
    guard (100...999).contains(status), isWithinLimit else { return nil }
  }

  /// Creates a description from the result of ``kept(of:)``.
  init(status: Int, kept fields: HTTPFields, selection: VaryKey, requested: Int, received: Int) {
    self.status = status
    self.fields = fields
    self.selection = selection
    self.requested = requested
    self.received = received
  }

  /// When the request was sent.
  public var requestTime: Date { HTTPSeconds.date(requested) }
  /// When the header of the response had arrived.
  public var responseTime: Date { HTTPSeconds.date(received) }

  /// The `Cache-Control` of the response.
  public var cacheControl: CacheControlHeader { CacheControlHeader(response: fields) }

  /// Whether intermediaries must not transform the content: `no-transform` (RFC 9111 §5.2.2.6, RFC 9110 §7.7).
  public var forbidsTransformation: Bool { cacheControl.noTransform }

  /// Returns whether the response also answers another request, judged by the fields that `Vary` names (RFC 9111 §4.1).
  ///
  /// Always `false` for `Vary: *`.
  public func matches(_ request: HTTPFields) -> Bool { selection.matches(request) }

  /// Returns the fields to keep. Control characters in values become spaces (RFC 9110 §5.5).
  static func kept(of fields: HTTPFields) -> HTTPFields {
    var kept = HTTPFields()
    var length = 0
    for name in keptNames {
      for value in fields[values: name] {
        let field = HTTPField(name: name, value: value)
        kept.append(field)
        // Beyond the limit nothing is stored: stop copying.
        length += field.value.utf8.count + 1
        if length > maxTextLength { return kept }
      }
    }
    return kept
  }
}
