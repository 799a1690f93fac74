/// The `Vary` field: the fields of the request that could have changed the response to this URL.
public struct VaryRule: Hashable, Sendable {
  /// Whether a format is chosen by `Accept`: one of the formats is automatic or enforced, and this URL has no format of its own that
  /// stands.
  public var negotiatesFormats: Bool
  /// Whether sizes are chosen by client hints: `IMGPROXY_ENABLE_CLIENT_HINTS`.
  public var usesClientHints: Bool
  /// Whether ``CrossOriginRule/varies``.
  public var checksOrigin: Bool

  /// Creates a rule.
  public init(negotiatesFormats: Bool = false, usesClientHints: Bool = false, checksOrigin: Bool = false) {
    self.negotiatesFormats = negotiatesFormats
    self.usesClientHints = usesClientHints
    self.checksOrigin = checksOrigin
  }

  /// The value of the field; `nil` for none.
  public var value: String? {
    var names: [String] = []
    if negotiatesFormats { names.append("Accept") }
    if usesClientHints { names += ["Sec-Ch-Dpr", "Dpr", "Sec-Ch-Width", "Width"] }
    if checksOrigin { names.append("Origin") }
    return names.isEmpty ? nil : names.joined(separator: ", ")
  }
}
