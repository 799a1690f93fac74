#if SVG
import FoundationEssentials

/// The text of a drawing for librsvg: in UTF-8, without the declaration of another encoding, and without the constructions
/// of XML that are known to be traps.
///
/// This is a sieve, not a wall: what gets through is drawn by a process that can do nothing else.
struct SVGText {
  /// The text, in UTF-8 as far as the input is sound.
  let bytes: [UInt8]

  /// The rarer part of the name space of inclusions.
  private static let inclusion = Array("/2001/XInclude".utf8)

  /// Inflates and decodes a text and examines it.
  ///
  /// - Throws: ``ImagingError/limitExceeded(_:value:limit:)``, ``ImagingError/truncated(_:byteCount:)`` and
  ///   ``ImagingError/corrupt(_:reason:offset:)`` for the gzip file; ``ImagingError/unsupportedFormat(_:reason:)`` for
  ///   encodings other than UTF-8, UTF-16, Latin 1 and ASCII, and for documents that include others; the errors of
  ///   ``XMLEntities``.
  init(_ data: Data, limits: DecodeLimits) throws(ImagingError) {
    let limit = max(0, limits.maxTextBytes)
    let plain = try Self.plain(data, limit: limit)
    let text = try Self.decoded(plain)
    guard text.count <= limit else { throw .limitExceeded(.text, value: text.count, limit: limit) }
    try XMLEntities.check(text, limit: limit)
    guard !Self.holds(text, Self.inclusion) else {
      throw .unsupportedFormat(.svg, reason: "it includes other documents (XInclude)")
    }
    bytes = text
  }

  /// Returns the text as stored, without compression.
  private static func plain(_ data: Data, limit: Int) throws(ImagingError) -> [UInt8] {
    guard data.bytes.holds([0x1F, 0x8B]) else {
      guard data.count <= limit else { throw .limitExceeded(.text, value: data.count, limit: limit) }
      return Array(data)
    }
    let text = InflatedText(data.bytes, limit: limit &+ 1)
    switch text.end {
    case .complete, .limit:
      guard text.bytes.count <= limit else {
        throw .limitExceeded(.text, value: text.bytes.count, limit: limit)
      }
      return text.bytes
    case .input: throw .truncated(.svg, byteCount: data.count)
    case .damage: throw .corrupt(.svg, reason: "the gzip data are damaged", offset: nil)
    }
  }

  /// Returns the text in UTF-8, without byte order mark and XML declaration.
  private static func decoded(_ stored: [UInt8]) throws(ImagingError) -> [UInt8] {
    let isWide = MarkupText.isUTF16(stored.span.bytes)
    let text = MarkupText.utf8(stored.span.bytes)
    guard let declaration = try declaration(in: text) else { return text }
    let rest = text[declaration.upperBound...]
    // The declaration of a text in UTF-16 has been read as such.
    guard !isWide, let encoding = encoding(in: text[declaration]) else { return Array(rest) }
    switch encoding {
    case "utf-8", "utf8", "us-ascii", "ascii", "utf-16": return Array(rest)
    case "iso-8859-1", "latin1", "latin-1":
      var converted: [UInt8] = []
      converted.reserveCapacity(rest.count + rest.count / 8)
      for byte in rest {
        if byte < 0x80 {
          converted.append(byte)
        } else {
          converted += [0xC0 | byte >> 6, 0x80 | byte & 0x3F]
        }
      }
      return converted
    default:
      throw .unsupportedFormat(
        .svg, reason: "its text is encoded as \(encoding.debugDescription), not in UTF-8, UTF-16 or Latin 1")
    }
  }

  /// Returns the place of `<?xml …?>`, which is at the start if anywhere.
  ///
  /// - Throws: ``ImagingError/corrupt(_:reason:offset:)`` for one that is longer than 1,024 bytes: its encoding would not be known
  ///   here, and be looked up elsewhere.
  private static func declaration(in text: [UInt8]) throws(ImagingError) -> Range<Int>? {
    let start = Array("<?xml".utf8)
    guard text.starts(with: start), text.count > start.count, text[start.count] <= 0x20 else { return nil }
    let head = text.prefix(1024)
    guard let end = head.indices.first(where: { head[$0...].starts(with: [0x3F, 0x3E]) }) else {
      throw .corrupt(.svg, reason: "its XML declaration does not end within \(head.count) bytes", offset: 0)
    }
    return 0..<(end + 2)
  }

  private static func encoding(in declaration: ArraySlice<UInt8>) -> String? {
    let text = String(decoding: declaration, as: UTF8.self)
    guard let name = text.firstRange(of: "encoding") else { return nil }
    let parts = text[name.upperBound...].split(
      maxSplits: 2, omittingEmptySubsequences: false, whereSeparator: { $0 == "\"" || $0 == "'" })
    guard parts.count == 3 else { return nil }
    return String(parts[1].prefix(40)).lowercased()
  }

  private static func holds(_ text: [UInt8], _ wanted: [UInt8]) -> Bool {
    var rest = text[...]
    while let start = rest.firstIndex(of: wanted[0]) {
      if rest[start...].starts(with: wanted) { return true }
      rest = rest[(start + 1)...]
    }
    return false
  }
}
#endif
