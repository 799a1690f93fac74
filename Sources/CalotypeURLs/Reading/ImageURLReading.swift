/// A URL in readable form: its options in order, its source, and whether a server with the same configuration accepts it.
///
/// ```swift
/// let reading = ImageURLReading("https://img.example/…/rs:fill:300:200/plain/https://example.com/a.jpg", dialect)
/// for line in reading.lines { print(line) }
/// ```
///
/// As much of a URL that is not accepted is read as can be.
public struct ImageURLReading: Hashable, Sendable {
  /// The verdict on a signature.
  public enum Signature: String, Hashable, Sendable, Encodable {
    /// It is that of a key.
    case valid
    /// It is one of the texts that are accepted in the place of a signature.
    case trusted
    /// It belongs to no key, or to one that is no longer valid.
    case invalid
    /// There are no keys to check it with.
    case unchecked
  }

  /// The verdict on the signature; `nil` if the URL has none.
  public private(set) var signature: Signature?
  /// The name of the key.
  public private(set) var keyID: String?
  /// The text that is signed, with the changes of proxies repaired; empty if the URL cannot be divided.
  public private(set) var path = ""
  /// The options in the order in which they take effect, those of presets behind their name.
  public private(set) var options: [ReadOption] = []
  /// The source, after replacements; `nil` if it cannot be read.
  public private(set) var source: String?
  /// How the source is written.
  public private(set) var sourceForm: ImgproxyRequest.SourceForm?
  /// The format of the result, from the extension or the option.
  public private(set) var format: RequestedFormat?
  /// All options with their values, for a planner; `nil` if they cannot be read.
  public private(set) var processing: ProcessingOptions?
  /// The texts that were read, but hardly as they were meant.
  public private(set) var notices: [ImageURLNotice] = []
  /// The first fault for which the URL is refused; `nil` if it is accepted.
  public private(set) var fault: ImageURLError?

  /// Reads a URL, or its path.
  ///
  /// - Parameters:
  ///   - url: The URL, or its path.
  ///   - dialect: The dialect in which it is written.
  ///   - now: Seconds since 1970, as for ``ImgproxyDialect/parse(_:at:)-(String,_)``.
  public init(_ url: String, _ dialect: ImgproxyDialect, at now: Int64? = nil) {
    do throws(ImageURLError) {
      let parts = try dialect.split(Self.target(of: url))
      path = "/" + parts.path
      verify(parts, dialect, at: now)
      var reading = OptionReading(dialect, now: now)
      reading.records = true
      defer { options = reading.recorded }
      let request = try dialect.parse(path: parts.path, with: &reading)
      (source, sourceForm, processing) = (request.source, request.sourceForm, request.options)
      (format, notices) = (request.options.format, request.notices)
    } catch {
      // A wrong signature is what a server says first.
      if fault == nil { fault = error }
    }
  }

  private mutating func verify(
    _ parts: ImgproxyDialect.SplitTarget, _ dialect: ImgproxyDialect, at now: Int64?
  ) {
    do throws(ImageURLError) {
      switch try dialect.configuration.signature.verify(parts.signature, of: parts.path, at: now) {
      case .signed(let id): (signature, keyID) = (.valid, id)
      case .trusted: signature = .trusted
      case .unsigned: signature = .unchecked
      }
    } catch {
      signature = error.fault == .missingSignature ? nil : .invalid
      fault = error
    }
  }

  /// The path of a URL.
  private static func target(of url: String) -> String {
    for scheme in ["http://", "https://"] where url.lowercased().hasPrefix(scheme) {
      let rest = url.dropFirst(scheme.utf8.count)
      return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
    }
    return url
  }
}
