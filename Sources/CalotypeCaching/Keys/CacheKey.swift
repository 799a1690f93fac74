import CalotypeSupport

/// The identity of a cached value: the SHA-256 digest of a canonical text, computed once.
///
/// Equality and hashing use the digest only, so that a look-up costs the same for keys of any length. The text is kept
/// for listing and is compared in full when a record is read from disk. Two texts are the same key when their UTF-8
/// bytes are equal; Unicode's canonical equivalence plays no part.
public struct CacheKey: Hashable, Sendable {
  /// The text of the key.
  public var text: String { words.text }
  /// The source of the cached value, such as a URL. All keys of one source can be removed together
  /// (``CacheSelection``). Not part of the identity.
  public var source: String { words.source }
  /// Both texts, in one object, so that a copy of the key costs one retain.
  let words: CacheKeyText
  /// SHA-256 of the UTF-8 bytes of the text, as four big-endian words.
  @usableFromInline let digest: Digest256

  /// Creates the key of `text`; O(length of the text).
  ///
  /// - Parameters:
  ///   - text: The complete identity.
  ///   - source: The source of the value; `nil` uses the text itself.
  public init(_ text: String, source: String? = nil) {
    words = CacheKeyText(text: text, source: source ?? text)
    var text = text
    digest = text.withUTF8 { Digest256(sha256: UnsafeRawBufferPointer($0)) }
  }

  /// Creates the key of the text with these bytes of UTF-8, which must be well-formed.
  package init(utf8 bytes: [UInt8], source: String) {
    words = CacheKeyText(text: String(decoding: bytes, as: UTF8.self), source: source)
    digest = bytes.withUnsafeBytes { Digest256(sha256: $0) }
  }

  private init(_ words: CacheKeyText, _ digest: Digest256) {
    (self.words, self.digest) = (words, digest)
  }

  /// Returns the key of a form of the value, for caches in memory: it has the same text, but another digest.
  ///
  /// - Parameter hash: The hash of everything that distinguishes the form.
  package func variant(_ hash: Int) -> CacheKey {
    let hash = UInt64(truncatingIfNeeded: hash)
    return CacheKey(
      words,
      Digest256(
        word0: digest.word0 ^ hash, word1: digest.word1, word2: digest.word2,
        word3: digest.word3 ^ hash.byteSwapped))
  }

  /// The digest as 64 lower-case hexadecimal digits.
  public var hexDigest: String { digest.hex }

  /// Whether the digests are equal.
  public static func == (left: CacheKey, right: CacheKey) -> Bool { left.digest == right.digest }

  /// Hashes the digest.
  public func hash(into hasher: inout Hasher) { hasher.combine(digest.word0) }
}

extension CacheKey: CustomStringConvertible {
  /// The text.
  public var description: String { text }
}

/// The texts of a ``CacheKey``, compared byte by byte.
final class CacheKeyText: Sendable {
  let text: String
  let source: String

  init(text: String, source: String) {
    self.text = text
    self.source = source
  }

  /// The hash of the source, seeded per process, so that an attacker cannot choose colliding sources. Computed anew each
  /// time: look-ups have no use for it.
  var sourceHash: Int {
    var hasher = Hasher()
    var bytes = source
    bytes.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    return hasher.finalize()
  }

  func hasSameSource(as other: CacheKeyText) -> Bool {
    self === other || source.utf8.elementsEqual(other.source.utf8)
  }
}

/// 256 bits as four words, compared and copied without touching the heap.
@usableFromInline
struct Digest256: Hashable, Sendable {
  let word0, word1, word2, word3: UInt64

  init(word0: UInt64, word1: UInt64, word2: UInt64, word3: UInt64) {
    self.word0 = word0
    self.word1 = word1
    self.word2 = word2
    self.word3 = word3
  }

  init(sha256 bytes: UnsafeRawBufferPointer) {
    self = MessageDigest.sha256(bytes).withUnsafeBytes { raw in
      func word(_ index: Int) -> UInt64 {
        UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
      }
      return Digest256(word0: word(0), word1: word(1), word2: word(2), word3: word(3))
    }
  }

  /// Reads 64 lower-case hexadecimal digits; `nil` for anything else.
  init?(hex: some StringProtocol) {
    var words: [UInt64] = []
    var word: UInt64 = 0
    var count = 0
    for digit in hex.utf8 {
      guard digit < UInt8(ascii: "A") || digit >= UInt8(ascii: "a"), let value = Hex.value(of: digit) else {
        return nil
      }
      word = word << 4 | UInt64(value)
      count += 1
      guard count <= 64 else { return nil }
      if count % 16 == 0 {
        words.append(word)
        word = 0
      }
    }
    guard count == 64 else { return nil }
    self.init(word0: words[0], word1: words[1], word2: words[2], word3: words[3])
  }

  @usableFromInline
  static func == (left: Digest256, right: Digest256) -> Bool {
    left.word0 == right.word0 && left.word1 == right.word1
      && left.word2 == right.word2 && left.word3 == right.word3
  }

  @usableFromInline
  func hash(into hasher: inout Hasher) { hasher.combine(word0) }

  var hex: String {
    String(unsafeUninitializedCapacity: 64) { buffer in
      forEachHexDigit { buffer[$0] = $1 }
      return 64
    }
  }

  /// The 64 lower-case digits, as bytes of ASCII.
  @inline(__always)
  func forEachHexDigit(_ body: (_ position: Int, _ digit: UInt8) -> Void) {
    func digits(of word: UInt64, from position: Int) {
      for index in 0..<16 {
        let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * index)) & 15
        body(position + index, Hex.digit(digit))
      }
    }
    digits(of: word0, from: 0)
    digits(of: word1, from: 16)
    digits(of: word2, from: 32)
    digits(of: word3, from: 48)
  }
}
