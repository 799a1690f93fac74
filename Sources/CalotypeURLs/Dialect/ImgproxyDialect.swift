/// The URLs of imgproxy as values: reads them, and writes them so that they are read as the same values.
///
/// ```swift
/// var configuration = ImgproxyDialect.Configuration()
/// configuration.signature = try URLSignature(hexKeys: key, hexSalts: salt)
/// let dialect = try ImgproxyDialect(configuration)
///
/// var options = ProcessingOptions()
/// options.resizingType = .fill
/// options.width = 300
/// options.height = 200
/// options.format = .webp
/// let url = try dialect.url(for: "https://example.com/photo.jpg", options)
///
/// let request = try dialect.parse(url)              // request.options == options
/// ```
///
/// A dialect does no I/O and knows no time; the same configuration serves clients and servers. Where it differs from imgproxy,
/// the documentation of the module says so.
public struct ImgproxyDialect: Sendable {
  /// Which options there are.
  public enum Edition: Hashable, Sendable {
    /// Those of imgproxy.
    case openSource
    /// Those of imgproxy Pro too, without those that need a model, a video or a document decoder.
    case pro
  }

  /// Limits of a URL.
  public struct Limits: Hashable, Sendable {
    /// Bytes of the request target.
    public var bytes = 8192
    /// Options, each name of a preset being one.
    public var options = 64
    /// Presets that name each other.
    public var presetDepth = 4
    /// Chained pipelines.
    public var stages = 8

    /// The defaults: 8 KiB, 64 options, 4 presets, 8 pipelines.
    public init() {}
  }

  /// How URLs are read and written. The names of imgproxy's settings are in parentheses.
  public struct Configuration: Sendable {
    /// Which options there are.
    public var edition = Edition.pro
    /// The path in front of the signature, such as `/images` (`PATH_PREFIX`).
    public var pathPrefix = ""
    /// The separator of the arguments of an option (`ARGUMENTS_SEPARATOR`).
    public var separator = ":"
    /// The keys that sign URLs (`KEY`, `SALT`, `SIGNATURE_SIZE`, `TRUSTED_SIGNATURES`).
    public var signature = URLSignature.unsigned
    /// Named sets of options (`PRESETS`, `PRESETS_PATH`).
    public var presets = PresetTable()
    /// Whether URLs name presets and nothing else (`ONLY_PRESETS`).
    public var onlyPresets = false
    /// Names of the options that URLs may have; `nil` for all (`ALLOWED_PROCESSING_OPTIONS`). Presets may have all.
    public var allowedOptions: Set<String>?
    /// Whether one name in ``allowedOptions`` allows all names of its option. imgproxy compares the text.
    public var allowedOptionsCoverSynonyms = false
    /// Whether URLs may change limits (`ALLOW_SECURITY_OPTIONS`).
    public var allowsSecurityOptions = false
    /// Whether URLs may have `bypass_cache` (`ALLOW_BYPASS_CACHE`).
    public var allowsBypassingCache = false
    /// Rules for sources that are read, in order (`URL_REPLACEMENTS`).
    public var replacements: [SourceReplacement] = []
    /// The text that is then put in front of each source that does not begin with it (`BASE_URL`).
    public var baseURL = ""
    /// Whether the last of several segments of an encoded source is a file name without meaning
    /// (`BASE64_URL_INCLUDES_FILENAME`).
    public var base64IncludesFilename = false
    /// The keys that encrypt sources (`SOURCE_URL_ENCRYPTION_KEY`).
    public var cipher: SourceCipher?
    /// Limits of a URL.
    public var limits = Limits()

    /// The defaults of imgproxy: nothing is signed.
    public init() {}
  }

  /// How URLs are read and written.
  public let configuration: Configuration
  let separator: [UInt8]
  let prefix: [UInt8]

  /// Checks a configuration, and applies every preset once.
  public init(_ configuration: Configuration = Configuration()) throws(ImageURLError) {
    self.configuration = configuration
    separator = Array(configuration.separator.utf8)
    prefix = Self.normalized(prefix: configuration.pathPrefix)
    // Others occur in numbers, names or encoded sources.
    guard !separator.isEmpty, separator.allSatisfy(":,;!$&'()*=|".utf8.contains) else {
      throw ImageURLError(
        .invalidConfiguration, "the separator of arguments is \"\(configuration.separator)\"",
        remedy: "use a colon, or another of : , ; ! $ & ' ( ) * = |")
    }
    let limits = configuration.limits
    guard (1...1 << 24).contains(limits.bytes), limits.options > 0, limits.presetDepth > 0, limits.stages > 0
    else {
      throw ImageURLError(
        .invalidConfiguration, "the limits are \(limits)",
        remedy: "give 1 byte to 16 MiB, and 1 or more of all others")
    }
    try checkPresets()
  }

  /// A prefix with a slash in front and none behind, without query and fragment; empty for none.
  private static func normalized(prefix: String) -> [UInt8] {
    var bytes = Array(prefix.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
    while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    if let first = bytes.first, first != UInt8(ascii: "/") { bytes.insert(UInt8(ascii: "/"), at: 0) }
    return bytes
  }
}
