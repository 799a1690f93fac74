import CalotypeSupport
import Crypto
import FoundationEssentials

/// The value of `x-amz-content-sha256`: the hash of the content, or that it is not signed.
enum PayloadHash: Hashable, Sendable {
  /// 64 lower-case hexadecimal digits.
  case sha256(String)
  /// `UNSIGNED-PAYLOAD`: TLS and the checksums of records protect the content.
  case unsigned

  /// The hash of no bytes.
  static let empty = PayloadHash.of([])
  /// The most bytes to hash where TLS protects the content.
  static let limit = 1 << 20

  /// The text of the field.
  var text: String {
    switch self {
    case .sha256(let digits): digits
    case .unsigned: "UNSIGNED-PAYLOAD"
    }
  }

  /// The hash of the pieces of a content.
  static func of(_ pieces: [Data]) -> PayloadHash {
    var hash = SHA256()
    for piece in pieces { hash.update(data: piece) }
    return .sha256(Hex.encode(hash.finalize()))
  }

  /// The hash of a content of up to 1 MiB or without TLS; ``unsigned`` otherwise.
  static func chosen(for pieces: [Data], isSecure: Bool) -> PayloadHash {
    let count = pieces.reduce(0) { $0 + $1.count }
    if count == 0 { return empty }
    return isSecure && count > limit ? .unsigned : of(pieces)
  }
}
