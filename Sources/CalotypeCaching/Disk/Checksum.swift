import CISAL
package import FoundationEssentials

/// CRC-64 (ECMA-182, reflected): it detects every burst of up to 64 bits and misses other damage once in 2⁶⁴. It guards
/// against disks and crashes, not against an attacker who may write to the folder.
package struct Checksum: Hashable, Sendable {
  package private(set) var value: UInt64

  /// Computes the checksum of data.
  package init(of data: Data) {
    self = data.withUnsafeBytes { Checksum(of: $0) }
  }

  /// Starts with a seed that enters the checksum, such as the place of the bytes.
  package init(seed: UInt64 = 0) { value = seed }

  init(of bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) {
    self.init(seed: seed)
    update(bytes)
  }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return }
    value = crc64_ecma_refl(value, base.assumingMemoryBound(to: UInt8.self), UInt64(bytes.count))
  }
}
