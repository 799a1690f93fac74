import CCrypto
package import FoundationEssentials

/// A 128-bit hash of bytes under a key that each process chooses for itself: GMAC (NIST SP 800-38D), which takes about a
/// tenth of the time of SHA-256.
///
/// Different bytes have the same hash once in 2¹²⁸ times their length in blocks, even if an attacker chooses them, because
/// the key and the hashes never leave the process. For the same reason, hashes of two processes cannot be compared.
package struct KeyedHash: Hashable, Sendable {
  private let high: UInt64, low: UInt64

  nonisolated(unsafe) private static let cipher = EVP_CIPHER_fetch(nil, "AES-128-GCM", nil)
  private static let key = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
  /// No message is encrypted: the nonce need not differ.
  private static let nonce = [UInt8](repeating: 0, count: 12)
  /// The most bytes that are passed to libcrypto at a time, which counts them in 32 bits.
  private static let most = 1 << 30

  /// Computes the hash of data.
  package init(of data: Data) {
    self = data.withUnsafeBytes { KeyedHash(of: $0) }
  }

  /// Computes the hash of bytes.
  package init(of bytes: UnsafeRawBufferPointer) {
    guard let context = EVP_CIPHER_CTX_new() else { fatalError("libcrypto has no memory left") }
    defer { EVP_CIPHER_CTX_free(context) }
    var length: Int32 = 0
    var isDone = EVP_EncryptInit_ex2(context, Self.cipher, Self.key, Self.nonce, nil) == 1
    var start = 0
    while isDone, start < bytes.count {
      let part = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + Self.most, bytes.count)])
      // Without an output, the bytes are authenticated only.
      isDone =
        EVP_EncryptUpdate(
          context, nil, &length, part.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(part.count))
        == 1
      start += part.count
    }
    var end = [UInt8](repeating: 0, count: 16)
    var tag: (UInt64, UInt64) = (0, 0)
    isDone = isDone && EVP_EncryptFinal_ex(context, &end, &length) == 1
    isDone = isDone && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, &tag) == 1
    // Independent of input: the library lacks the algorithm.
    guard isDone else { fatalError("libcrypto cannot compute AES-GCM") }
    (high, low) = tag
  }
}
