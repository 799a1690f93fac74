/// Why a body cannot be sealed or opened.
public enum SealedBodyError: Error, Hashable, Sendable {
  /// The key does not have 256 bits.
  case wrongKeySize(bits: Int)
  /// The body does not begin as a sealed one does.
  case notSealed
  /// It was sealed by another version of this format.
  case unsupportedVersion(UInt8)
  /// The segment was changed, moved, cut off within, or sealed with another key. Counted from 0.
  case tampered(segment: Int)
  /// The body ends before its last segment is whole. `segments` of them came whole.
  case truncated(segments: Int)
  /// More segments than there are nonces for.
  case tooLong
}

extension SealedBodyError: CustomStringConvertible {
  /// The fault, its place, and the remedy.
  public var description: String {
    switch self {
    case .wrongKeySize(let bits): "the key has \(bits) bits; use one of 256"
    case .notSealed: "it is not sealed; seal it, or load it without this transform"
    case .unsupportedVersion(let version): "it is sealed in version \(version) of the format; only 1 is known"
    case .tampered(let segment):
      "its segment \(segment) is not what was sealed with this key; load it anew or check the key"
    case .truncated(let segments):
      "it ends after \(segments) whole segments, before its last one; load it anew"
    case .tooLong: "it has more segments than a body may have; seal it in parts"
    }
  }
}
