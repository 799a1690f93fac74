import Crypto

/// The tokens of `Authorization: Bearer`.
struct BearerTokens: Sendable {
  private let digests: [[UInt8]]

  init(_ tokens: [String]) { digests = tokens.map { Array(SHA256.hash(data: Array($0.utf8))) } }

  /// Whether there is none.
  var isEmpty: Bool { digests.isEmpty }

  /// Returns whether a field has one of the tokens, in a time that does not depend on how much of it is right.
  func allow(_ authorization: String?) -> Bool {
    guard let authorization, authorization.utf8.count <= 8192,
      authorization.prefix(7).lowercased() == "bearer "
    else { return false }
    let digest = Array(SHA256.hash(data: Array(authorization.dropFirst(7).utf8)))
    var isFound = false
    for known in digests {
      var difference: UInt8 = 0
      for (one, other) in zip(known, digest) { difference |= one ^ other }
      isFound = difference == 0 || isFound
    }
    return isFound
  }
}
