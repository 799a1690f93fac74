/// The request that a URL makes.
public struct ImgproxyRequest: Hashable, Sendable {
  /// How a source is written in a URL.
  public enum SourceForm: String, Hashable, Sendable {
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
  /// Texts that were read, but hardly as they were meant.
  public var notices: [ImageURLNotice] = []
  /// The proof of the URL; ``URLSignature/Verification/unsigned`` if only a path was read.
  public var verification = URLSignature.Verification.unsigned
}
