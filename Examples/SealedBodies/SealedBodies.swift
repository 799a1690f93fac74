// Encrypted images, decrypted while they arrive: how a program brings its own transform of bodies along.
//
//   let sealed = try SealedBodies(key: key)          // 256 bits, from where your secrets are
//   try sealed.seal(png).write(to: file)             // once, when the image is published
//   var work = sealed.makeTransform(for: response)   // what a pipeline does with each response
//
// A tour, file by file:
//
//   SealedBodies     conforms to BodyTransforming: its identity names the key by a digest, never the key
//   Unsealing        conforms to ChunkTransforming: gives bytes out as soon as they are known to be authentic
//   SealedFormat     header, nonces and keys of the format
//   SealedBodyError  everything that can be wrong with a body
//
// The format, version 1. All of it is bytes, numbers with the most significant byte first.
//
//   header    4   "SEAL"
//             1   1, the version
//            16   salt, random for each body
//             7   prefix of all nonces, random for each body
//   segments      each: up to 65,536 bytes of AES-256-GCM ciphertext, then its tag of 16 bytes
//
// All segments but the last have 65,536 bytes of ciphertext; the last has 1 to 65,536, or none if the body is empty.
// The key of a body is HKDF-SHA256 of the shared key with the salt and the info "SealedBodies v1", 32 bytes, so that
// any number of bodies can be sealed with one shared key. The nonce of a segment is the prefix, the number of the
// segment as 4 bytes, and 1 for the last segment or 0 for another: the STREAM construction (Hoang, Reyhanitabar, Rogaway
// and Vizár, "Online Authenticated-Encryption and its Nonce-Reuse Misuse-Resistance", 2015). Each segment authenticates
// the header too. A segment that is changed, moved, left out or added is found when it is opened, and an end that is
// cut off when the body ends: until then, the bytes given out are authentic, but may not be all.

public import CalotypeLoading
public import Crypto
public import FoundationEssentials

/// Opens bodies that ``seal(_:)`` sealed with the same key. A body that is not sealed is an error.
///
/// ```swift
/// let sealed = try SealedBodies(key: key)
/// let file = try sealed.seal(png)
/// ```
public struct SealedBodies: BodyTransforming {
  private let key: SymmetricKey

  /// Creates a transform with the key that bodies are sealed with.
  ///
  /// - Parameter key: 256 random bits.
  /// - Throws: ``SealedBodyError/wrongKeySize(bits:)``.
  public init(key: SymmetricKey) throws(SealedBodyError) {
    guard key.bitCount == 256 else { throw .wrongKeySize(bits: key.bitCount) }
    self.key = key
  }

  /// `sealed-v1` with a fingerprint of the key: 16 bytes of an HMAC, which does not reveal the key.
  public var identity: String {
    let code = HMAC<SHA256>.authenticationCode(for: Data("SealedBodies fingerprint".utf8), using: key)
    let hex = code.prefix(16).map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
    return "sealed-v1(\(hex))"
  }

  /// Opens the body, whatever the response says.
  public func makeTransform(for response: LoadResponse) -> (any ChunkTransforming)? {
    Unsealing(key: key)
  }

  /// Seals a whole body: 28 bytes more, and 16 for each segment of 64 KiB that it has or begins.
  ///
  /// Twice the same bytes become different ones each time.
  ///
  /// - Throws: ``SealedBodyError/tooLong`` beyond 256 TiB; errors of Crypto, which has no reason for any.
  public func seal(_ plain: Data) throws -> Data {
    let format = SealedFormat(key: key)
    var sealed = format.header
    let count = max(1, (plain.count + SealedFormat.segmentSize - 1) / SealedFormat.segmentSize)
    sealed.reserveCapacity(sealed.count + plain.count + count * SealedFormat.tagSize)
    for number in 0..<count {
      let start = plain.startIndex + number * SealedFormat.segmentSize
      let end = min(start + SealedFormat.segmentSize, plain.endIndex)
      try sealed.append(format.seal(plain[start..<end], number: number, isLast: number == count - 1))
    }
    return sealed
  }
}

extension SealedBodies: CustomStringConvertible {
  /// The ``identity``: a key does not end up in a log by accident.
  public var description: String { identity }
}
