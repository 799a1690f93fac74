/// The values that a setting may have, and how they are written.
public enum SettingKind: Hashable, Sendable {
  /// The text between the items of a list.
  public enum Separator: Hashable, Sendable {
    /// A comma.
    case comma
    /// A semicolon.
    case semicolon
    /// ``Settings/Presets/separator``.
    case presets
    /// ``Settings/Server/headersSeparator``.
    case headers
  }

  /// The items of a list.
  public enum Item: Hashable, Sendable {
    /// Any text.
    case text
    /// A name of HTTP: letters, digits and a few signs.
    case token
    /// An origin such as `https://example.com`, or `*`.
    case origin
    /// A definition of the form `name=options`.
    case definition
  }

  /// `1 t T TRUE true True` or `0 f F FALSE false False`.
  case flag
  /// A whole number.
  case integer(ClosedRange<Int>)
  /// A number of bytes, with or without a unit: `B`, `KiB`, `MiB`, `GiB`, `TiB`.
  case byteCount
  /// A decimal number; `excludingZero`: above 0.
  case real(ClosedRange<Double>, excludingZero: Bool)
  /// Millions of pixels, as a decimal number.
  case megapixels
  /// Whole seconds, or a whole number with a unit: `ms`, `s`, `m`, `h`, `d`.
  case duration
  /// Any text in one line.
  case text
  /// A text of several lines, such as a certificate.
  case lines
  /// A path in the file system.
  case path
  /// The path of a file with a definition a line.
  case lineFile
  /// A path in URLs: a slash in front is added, slashes behind, query and fragment are removed.
  case urlPath
  /// An absolute URL.
  case url
  /// A URL of HTTP or HTTPS.
  case webURL
  /// Bytes in base64.
  case base64
  /// One of some words, in any case.
  case choice([String])
  /// Texts.
  case list(Separator, Item)
  /// `name=value` and `name=value`.
  case pairs(Separator)
  /// As ``pairs(_:)``, of headers.
  case headers
  /// Names of formats, with commas between them.
  case formats
  /// `format=quality`, with commas between them.
  case qualities
  /// Sequences of bytes in hexadecimal digits, with commas between them, of one of some lengths; none: of any.
  case hexadecimal(lengths: [Int])
  /// A moment in the format of RFC 3339.
  case time
  /// Such moments with commas between them, which may be empty.
  case times
  /// An address to listen at.
  case address
  /// Ranges of IP addresses with commas between them.
  case networks
}

extension SettingKind {
  /// The values in a few words, such as `whole number, 1 to 32`.
  public var summary: String {
    switch self {
    case .flag: "true or false"
    case .integer(let range): "whole number, \(Self.text(range))"
    case .byteCount: "bytes, or with KiB, MiB, GiB, TiB"
    case .real(let range, let excludingZero):
      "number, \(excludingZero ? "above 0" : "at least \(SettingText.write(range.lowerBound))"), at most "
        + SettingText.write(range.upperBound)
    case .megapixels: "megapixels"
    case .duration: "seconds, or with ms, s, m, h, d"
    case .text: "text"
    case .lines: "text of several lines"
    case .path: "path"
    case .lineFile: "path of a file of lines"
    case .urlPath: "path in URLs"
    case .url: "absolute URL"
    case .webURL: "http or https URL"
    case .base64: "base64"
    case .choice(let names): names.filter { !$0.isEmpty }.joined(separator: ", ")
    case .list(.comma, _): "list, commas between"
    case .list(.semicolon, _): "list, semicolons between"
    case .list: "list"
    case .pairs(.semicolon): "name=value;name=value"
    case .pairs, .headers: "list of name=value"
    case .formats: "formats, commas between"
    case .qualities: "format=quality, commas between"
    case .hexadecimal(let lengths):
      lengths.isEmpty
        ? "hexadecimal, commas between"
        : "hexadecimal of \(lengths.map(String.init).joined(separator: ", ")) bytes, commas between"
    case .time: "RFC 3339 time"
    case .times: "RFC 3339 times, commas between"
    case .address: "address:port or path of a socket"
    case .networks: "CIDR ranges, commas between"
    }
  }

  static func text(_ range: ClosedRange<Int>) -> String {
    range.upperBound == .max ? "at least \(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
  }
}
