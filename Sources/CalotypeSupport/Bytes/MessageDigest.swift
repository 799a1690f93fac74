import CCrypto

/// A running hash of bytes, computed by OpenSSL's libcrypto, which libcurl links anyway.
///
/// ```swift
/// var digest = MessageDigest(.sha256)
/// digest.update("text")
/// let hex = Hex.encode(digest.finalize())
/// ```
package struct MessageDigest: ~Copyable {
  /// The algorithms that Calotype uses.
  package enum Algorithm {
    /// SHA-256: 32 bytes (FIPS 180-4).
    case sha256
    /// SHA-384: 48 bytes (FIPS 180-4).
    case sha384
    /// SHA-512: 64 bytes (FIPS 180-4).
    case sha512
    /// MD5: 16 bytes (RFC 1321). Only for the servers of the test kit, which check digest authentication: a libcrypto in
    /// FIPS mode does not have it.
    case md5
    /// SHA-1: 20 bytes (RFC 3174). Only to name scripts as Redis does, where nothing depends on its strength.
    case sha1
  }

  // Looked up once: a look-up of a provider costs more than the hash of a short text.
  nonisolated(unsafe) private static let sha256 = EVP_MD_fetch(nil, "SHA256", nil)
  nonisolated(unsafe) private static let sha384 = EVP_MD_fetch(nil, "SHA384", nil)
  nonisolated(unsafe) private static let sha512 = EVP_MD_fetch(nil, "SHA512", nil)
  nonisolated(unsafe) private static let md5 = EVP_MD_fetch(nil, "MD5", nil)
  nonisolated(unsafe) private static let sha1 = EVP_MD_fetch(nil, "SHA1", nil)

  private let context: OpaquePointer

  /// Starts a hash of no bytes.
  package init(_ algorithm: Algorithm) {
    let type =
      switch algorithm {
      case .sha256: Self.sha256
      case .sha384: Self.sha384
      case .sha512: Self.sha512
      case .md5: Self.md5
      case .sha1: Self.sha1
      }
    guard let type, let context = EVP_MD_CTX_new(), EVP_DigestInit_ex2(context, type, nil) == 1 else {
      // Independent of input: no memory is left, or the library lacks the algorithm.
      fatalError("libcrypto cannot compute \(algorithm)")
    }
    self.context = context
  }

  deinit {
    EVP_MD_CTX_free(context)
  }

  /// Adds bytes.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    // Independent of input: fails only without initialization.
    guard EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else {
      fatalError("libcrypto cannot hash")
    }
  }

  /// Adds the UTF-8 of a text.
  package mutating func update(_ text: String) {
    var text = text
    text.withUTF8 { update(UnsafeRawBufferPointer($0)) }
  }

  /// The hash of all bytes, as long as the algorithm says.
  package consuming func finalize() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, count in
      var length: UInt32 = 0
      // Independent of input, as above; the buffer has room for each algorithm.
      guard EVP_DigestFinal_ex(context, buffer.baseAddress, &length) == 1 else {
        fatalError("libcrypto cannot hash")
      }
      count = Int(length)
    }
  }

  /// The 32 bytes of the SHA-256 of some bytes.
  package static func sha256(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var digest = MessageDigest(.sha256)
    digest.update(bytes)
    return digest.finalize()
  }

  /// The SHA-256 of the UTF-8 of a text, as 64 lower-case hexadecimal digits.
  package static func sha256Hex(_ text: String) -> String {
    var digest = MessageDigest(.sha256)
    digest.update(text)
    return Hex.encode(digest.finalize())
  }
}
