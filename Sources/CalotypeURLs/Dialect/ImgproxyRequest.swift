/// What a URL asks for.
public struct ImgproxyRequest: Hashable, Sendable {
  /// How a source is written in a URL.
  public enum SourceForm: Hashable, Sendable {
    /// Percent-encoded behind `plain/`.
    case plain
    /// In URL-safe base64.
    case base64
    /// Encrypted behind `enc/`.
    case encrypted
  }

  /// The options, presets included.
  public var options: ProcessingOptions
  /// The source, after replacements and with the base URL: UTF-8 without control characters, otherwise unchecked.
  public var source: String
  /// How it was written.
  public var sourceForm: SourceForm
  /// The presets that were applied, in order.
  public var presets: [String] = []
  /// What was read, but hardly as it was meant.
  public var notices: [ImageURLNotice] = []
  /// What vouches for the URL; ``URLSignature/Verification/unsigned`` if only a path was read.
  public var verification = URLSignature.Verification.unsigned
}
