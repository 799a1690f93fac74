import FoundationEssentials

/// Decodes bodies that are base64 text (RFC 4648).
///
/// Every body is decoded. Whitespace and line ends are skipped; other characters, wrong padding, anything after the
/// padding, and unused bits that are not 0 are errors.
///
/// ```swift
/// let plain = Base64Transform()
/// let tokens = Base64Transform(alphabet: .urlSafe, padding: .optional)
/// ```
public struct Base64Transform: BodyTransforming, Hashable {
  /// The 64 characters.
  public enum Alphabet: String, Hashable, Sendable {
    /// The last two are `+` and `/` (RFC 4648 §4).
    case standard
    /// The last two are `-` and `_` (RFC 4648 §5).
    case urlSafe
  }

  /// The padding that is required.
  public enum Padding: String, Hashable, Sendable {
    /// Padding with `=` to a multiple of four characters.
    case required
    /// As ``required``, or no padding at all.
    case optional
  }

  /// The alphabet.
  public let alphabet: Alphabet
  /// The padding that is required.
  public let padding: Padding

  /// Creates a transform for texts in `alphabet`.
  public init(alphabet: Alphabet = .standard, padding: Padding = .required) {
    self.alphabet = alphabet
    self.padding = padding
  }

  /// `base64` with alphabet and padding.
  public var identity: String { "base64(\(alphabet.rawValue),\(padding.rawValue))" }

  /// Returns a decoder for every response.
  public func makeTransform(for response: LoadResponse) -> (any ChunkTransforming)? {
    let rules = Base64Decoder.Rules(
      isURLSafe: alphabet == .urlSafe, allowsMissingPadding: padding == .optional)
    return Decoding(decoder: Base64Decoder(rules))
  }

  private struct Decoding: ChunkTransforming {
    var decoder: Base64Decoder

    mutating func transform(_ chunk: Data) throws -> Data {
      try chunk.withUnsafeBytes { Data(try decoder.decode($0)) }
    }

    mutating func finish() throws -> Data {
      Data(try decoder.finish())
    }
  }
}
