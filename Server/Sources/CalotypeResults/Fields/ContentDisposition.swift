/// A `Content-Disposition` field (RFC 6266): how a browser shows an image, and the name under which it is saved.
///
/// The name is that of imgproxy: the stem of the option `filename`, else of the last segment of the source, else `image`; the
/// extension of the result, else that of the source, else that of the content type.
///
/// ```swift
/// ContentDisposition(source: "http://example.com/naïve.png", fileExtension: ".webp").value
/// // inline; filename="na_ve.webp"; filename*=UTF-8''na%C3%AFve.webp
/// ```
///
/// A name that is not ASCII is written twice. Control characters, and those that change the direction of text, are removed,
/// and separators of paths replaced, because browsers and people trust names.
public struct ContentDisposition: Hashable, Sendable {
  /// The URL of the source.
  public var source: String
  /// The stem of the option `filename`.
  public var filename: String
  /// The extension of the result with its dot; empty for that of the source.
  public var fileExtension: String
  /// The content type, which decides when there is no other extension.
  public var contentType: String
  /// Whether browsers save the image instead of showing it.
  public var isAttachment: Bool

  /// The number of bytes that a stem is shortened to.
  public static let maximumStem = 200

  /// Describes a name.
  public init(
    source: String, filename: String = "", fileExtension: String = "", contentType: String = "",
    isAttachment: Bool = false
  ) {
    self.source = source
    self.filename = filename
    self.fileExtension = fileExtension
    self.contentType = contentType
    self.isAttachment = isAttachment
  }

  /// The value of the field, in ASCII.
  public var value: String {
    let name = self.name
    let plain = name.unicodeScalars.map { scalar in
      // A quote as imgproxy writes it; a backslash would be an escape.
      scalar == "\"" ? "%22" : scalar.isASCII && scalar != "\\" ? String(scalar) : "_"
    }
    let value = "\(isAttachment ? "attachment" : "inline"); filename=\"\(plain.joined())\""
    let isPlain = name.unicodeScalars.allSatisfy { $0.isASCII && $0 != "\\" }
    return isPlain ? value : value + "; filename*=UTF-8''" + Self.percentEncoded(name)
  }

  /// The name under which the image is saved.
  public var name: String {
    let last = Self.lastSegment(of: source)
    let dot = last.lastIndex(of: ".")
    var stem = Self.cleaned(filename.isEmpty ? String(last[..<(dot ?? last.endIndex)]) : filename)
    if stem.isEmpty { stem = "image" }
    var end = Self.cleanedExtension(
      fileExtension.isEmpty ? dot.map { String(last[$0...]) } ?? "" : fileExtension)
    if end.isEmpty { end = Self.fileExtension(of: contentType) }
    return stem + end
  }

  /// Returns the last segment of the path of a URL, decoded.
  private static func lastSegment(of source: String) -> String {
    // The authority, and the query of a web address, are no names of files.
    var path = source[...]
    if let mark = path.firstRange(of: "://") {
      path = path[mark.upperBound...]
      guard let slash = path.firstIndex(of: "/") else { return "" }
      path = path[slash...]
    }
    if let mark = path.firstIndex(where: { $0 == "?" || $0 == "#" }) { path = path[..<mark] }
    return decoded(path.split(separator: "/", omittingEmptySubsequences: false).last ?? "")
  }

  private static func decoded(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8.prefix(4096)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte == UInt8(ascii: "%"), digits.count == 2,
        digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func cleaned(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      // Among the formats are those that change the direction of text.
      case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse:
        continue
      default: break
      }
      let safe: Unicode.Scalar = scalar == "/" || scalar == "\\" || scalar == ":" ? "_" : scalar
      guard result.utf8.count + UTF8.width(safe) <= maximumStem else { break }
      result.unicodeScalars.append(safe)
    }
    return result
  }

  /// Returns an extension of at most 8 letters and digits with its dot, or nothing.
  private static func cleanedExtension(_ text: String) -> String {
    let letters = text.hasPrefix(".") ? text.dropFirst() : text[...]
    let isPlain = letters.utf8.allSatisfy {
      (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
    }
    return isPlain && (1...8).contains(letters.utf8.count) ? "." + letters : ""
  }

  private static func fileExtension(of contentType: String) -> String {
    switch contentType.prefix(while: { $0 != ";" && $0 != " " }).lowercased() {
    case "image/jpeg": ".jpg"
    case "image/png", "image/apng": ".png"
    case "image/webp": ".webp"
    case "image/gif": ".gif"
    case "image/avif": ".avif"
    case "image/heic", "image/heif": ".heic"
    case "image/jxl": ".jxl"
    case "image/tiff": ".tiff"
    case "image/bmp": ".bmp"
    case "image/x-icon", "image/vnd.microsoft.icon": ".ico"
    case "image/svg+xml": ".svg"
    default: ""
    }
  }

  /// Percent-encodes all but the characters of an `attr-char` (RFC 8187).
  private static func percentEncoded(_ text: String) -> String {
    let unreserved = Array("!#$&+-.^_`|~".utf8)
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case 48...57, 65...90, 97...122: result.unicodeScalars.append(Unicode.Scalar(byte))
      case _ where unreserved.contains(byte): result.unicodeScalars.append(Unicode.Scalar(byte))
      default: result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    return result
  }
}

extension UTF8 {
  fileprivate static func width(_ scalar: Unicode.Scalar) -> Int { UTF8.encode(scalar)?.count ?? 0 }
}
