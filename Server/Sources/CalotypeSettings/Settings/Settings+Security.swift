extension Settings {
  /// Signatures, and the sources and options that URLs may name.
  public struct Security: Equatable, Sendable {
    /// The formats that are decoded in processes that can do nothing else.
    public enum Sandbox: String, SettingConvertible, CaseIterable {
      /// All.
      case all
      /// Those with large libraries: AVIF, HEIF, JPEG XL, TIFF and SVG.
      case libraries
      /// None. HEIF and SVG are not decoded then.
      case none
    }

    /// The formats that are decoded in a sandbox.
    public var sandbox = Sandbox.all
    /// Keys of signatures, one for each of ``salts``.
    public var keys: [Secret<[UInt8]>] = []
    /// Salts of signatures, one for each of ``keys``.
    public var salts: [Secret<[UInt8]>] = []
    /// Names of the keys for logs; none: `1`, `2` and so on.
    public var keyIDs: [String] = []
    /// Until when each key is valid, in seconds since 1970; none: for ever.
    public var keyValidity: [Int64?] = []
    /// Whether URLs need no signature while there are no keys.
    public var allowsUnsigned = false
    /// Bytes of a signature that are compared, 1 to 32.
    public var signatureSize = 32
    /// Whether ``signatureSize`` may be less than 8.
    public var allowsShortSignatures = false
    /// Texts that are accepted in the place of a signature.
    public var trustedSignatures: [Secret<String>] = []
    /// Keys of 16, 24 or 32 bytes that encrypt the URLs of sources.
    public var sourceKeys: [Secret<[UInt8]>] = []
    /// Beginnings of the sources that may be named, with `*` for a text without slashes; none: all.
    public var allowedSources: [String] = []
    /// Most redirects of a download.
    public var maxRedirects = 10
    /// Whether sources may have loopback and unspecified addresses.
    public var allowsLoopback = false
    /// Whether sources may have link-local addresses.
    public var allowsLinkLocal = false
    /// Whether sources may have private addresses.
    public var allowsPrivate = false
    /// Whether certificates of sources are left unverified.
    public var ignoresCertificates = false
    /// Names of the options that URLs may have; none: all.
    public var allowedOptions: [String] = []
    /// Names of the options that URLs of `/info` may have; none: all.
    public var allowedInfoOptions: [String] = []
    /// Whether URLs may change limits.
    public var allowsSecurityOptions = false
    /// Whether URLs may bypass the cache.
    public var allowsBypassingCache = false
    /// Most pipelines of a URL; 0 for 64.
    public var maxPipelines = 8
    /// Whether cookies that suit the source are sent to it.
    public var passesCookies = false
    /// Whether all cookies are sent to the source.
    public var passesAllCookies = false
    /// The URL for which cookies are assumed to be set; empty for that of the request.
    public var cookieBaseURL = ""

    /// The defaults.
    public init() {}
  }
}
