import CalotypeSupport

/// HMAC with SHA-256 (RFC 2104), written again for the test server, so that it does not share the mistakes of the signer.
enum HMACSHA256 {
  static func code(_ message: some Sequence<UInt8>, key: [UInt8]) -> [UInt8] {
    let blockLength = 64
    var block = key.count > blockLength ? key.withUnsafeBytes { MessageDigest.sha256($0) } : key
    block += [UInt8](repeating: 0, count: blockLength - block.count)
    let inner = block.map { $0 ^ 0x36 } + message
    let outer = block.map { $0 ^ 0x5C } + inner.withUnsafeBytes { MessageDigest.sha256($0) }
    return outer.withUnsafeBytes { MessageDigest.sha256($0) }
  }
}
