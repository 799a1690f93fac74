import Crypto
import FoundationEssentials

/// The format of one sealed body: its header, and the key and nonces that follow from it.
struct SealedFormat: Sendable {
  /// Bytes of plain text in all segments but the last.
  static let segmentSize = 65_536
  static let tagSize = 16
  static let headerSize = 28

  private static let magic = Data("SEAL".utf8)
  private static let version: UInt8 = 1
  private static let saltSize = 16
  private static let prefixSize = 7
  private static let info = Data("SealedBodies v1".utf8)

  let header: Data
  private let key: SymmetricKey
  private let prefix: Data

  /// A new body.
  init(key: SymmetricKey) {
    var random = SystemRandomNumberGenerator()
    let chance = (0..<Self.saltSize + Self.prefixSize).map { _ in UInt8.random(in: 0...255, using: &random) }
    self.init(header: Self.magic + [Self.version] + chance, key: key)
  }

  /// A body that exists.
  ///
  /// - Parameter header: Its first ``headerSize`` bytes, or fewer if it has no more.
  init(opening header: Data, key: SymmetricKey) throws(SealedBodyError) {
    guard header.starts(with: Self.magic) else {
      // Too short to say, as far as it goes.
      throw Self.magic.starts(with: header) ? .truncated(segments: 0) : .notSealed
    }
    let version = header.dropFirst(Self.magic.count).first
    if let version, version != Self.version { throw .unsupportedVersion(version) }
    guard header.count == Self.headerSize else { throw .truncated(segments: 0) }
    self.init(header: header, key: key)
  }

  private init(header: Data, key: SymmetricKey) {
    self.header = header
    prefix = header.suffix(Self.prefixSize)
    self.key = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: key, salt: header.dropLast(Self.prefixSize).suffix(Self.saltSize), info: Self.info,
      outputByteCount: 32)
  }

  /// Ciphertext and tag of a segment.
  func seal(_ plain: Data, number: Int, isLast: Bool) throws -> Data {
    let box = try AES.GCM.seal(
      plain, using: key, nonce: nonce(number, isLast: isLast), authenticating: header)
    return box.ciphertext + box.tag
  }

  /// Plain text of a segment; `nil` if it is not this one.
  func open(_ segment: Data, number: Int, isLast: Bool) throws(SealedBodyError) -> Data? {
    let nonce = try nonce(number, isLast: isLast)
    return try? AES.GCM.open(
      AES.GCM.SealedBox(
        nonce: nonce, ciphertext: segment.dropLast(Self.tagSize), tag: segment.suffix(Self.tagSize)),
      using: key, authenticating: header)
  }

  private func nonce(_ number: Int, isLast: Bool) throws(SealedBodyError) -> AES.GCM.Nonce {
    // A nonce that comes again would give the plain text away.
    guard let number = UInt32(exactly: number) else { throw .tooLong }
    var bytes = prefix
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    bytes.append(isLast ? 1 : 0)
    guard let nonce = try? AES.GCM.Nonce(data: bytes) else { throw .tooLong }
    return nonce
  }
}
