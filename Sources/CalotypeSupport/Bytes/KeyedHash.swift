import CCrypto
package import FoundationEssentials

/// A 128-bit hash of bytes under a key that each process chooses for itself: GMAC (NIST SP 800-38D), which takes about a
/// fifth of the time of SHA-256.
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

  /// Computes the hash of data; `nil` if libcrypto cannot.
  package init?(of data: Data) {
    guard let hash = data.withUnsafeBytes({ KeyedHash(of: $0) }) else { return nil }
    self = hash
  }

  /// Computes the hash of bytes; `nil` if libcrypto has no memory left, or lacks the algorithm.
  package init?(of bytes: UnsafeRawBufferPointer) {
    guard let cipher = Self.cipher, let context = EVP_CIPHER_CTX_new() else { return nil }
    defer { EVP_CIPHER_CTX_free(context) }
    var length: Int32 = 0
    var isDone = EVP_EncryptInit_ex2(context, cipher, Self.key, Self.nonce, nil) == 1
    for start in stride(from: 0, to: bytes.count, by: Self.most) where isDone {
      let part = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + Self.most, bytes.count)])
      // Without an output, the bytes are authenticated only.
      isDone =
        EVP_EncryptUpdate(
          context, nil, &length, part.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(part.count))
        == 1
    }
    var end = [UInt8](repeating: 0, count: 16)
    var tag: (UInt64, UInt64) = (0, 0)
    isDone = isDone && EVP_EncryptFinal_ex(context, &end, &length) == 1
    isDone = isDone && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, &tag) == 1
    guard isDone else { return nil }
    (high, low) = tag
  }
}
