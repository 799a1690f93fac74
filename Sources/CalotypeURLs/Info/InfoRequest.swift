/// The request that a URL of `/info` makes.
public struct InfoRequest: Hashable, Sendable {
  /// The options, presets included.
  public var options: InfoOptions
  /// The source, after replacements and with the base URL: UTF-8 without control characters, otherwise unchecked.
  public var source: String
  /// The presets that were applied, in order.
  public var presets: [String] = []
  /// The proof of the URL.
  public var verification = URLSignature.Verification.unsigned
}
