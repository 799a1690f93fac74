import CalotypeSupport
import FoundationEssentials

/// What the index of a ``DiskCache`` knows of a record: 64 bytes, in memory as in the file.
struct IndexEntry: BitwiseCopyable, Equatable, Sendable {
  let digest: Digest256
  /// When the record was last known to be accessed, in microseconds since 1970; it may have been since.
  var accessed: Int64
  /// When it ends, likewise; `Int64.max` for never or unknown.
  var expires: Int64
  /// Length of the file.
  var size: Int64
  /// ``sourceHash(_:)``, or 0 when it is not known.
  var source: UInt32
  /// A bit for every tag, or all bits when they are not known.
  var tags: UInt32

  static let length = 64
  /// Lengths that make sense: sums of them stay numbers, whatever somebody put into the folder.
  static let sizes: ClosedRange<Int64> = 0...1 << 40

  /// An entry of a record whose header was not read.
  init(digest: Digest256, size: Int, accessed: Date) {
    self.digest = digest
    self.accessed = accessed.microseconds
    expires = .max
    self.size = min(max(Int64(clamping: size), Self.sizes.lowerBound), Self.sizes.upperBound)
    source = 0
    tags = .max
  }

  /// An entry of a record that is stored now.
  init(key: CacheKey, metadata: RecordMetadata, size: Int, accessed: Date) {
    self.init(digest: key.digest, size: size, accessed: accessed)
    expires = metadata.expires?.microseconds ?? .max
    source = Self.sourceHash(key.source)
    tags = metadata.tags.reduce(0) { $0 | Self.tagBit($1) }
  }

  /// Whether the record may be in a selection; its header tells.
  func mayBe(in selection: CacheSelection) -> Bool {
    switch selection {
    case .source(let text): source == 0 || source == Self.sourceHash(text)
    case .sourcePrefix: true
    case .tag(let tag): tags & Self.tagBit(tag) != 0
    }
  }

  private static func sourceHash(_ text: String) -> UInt32 {
    max(1, UInt32(truncatingIfNeeded: hash(text) >> 32))
  }

  private static func tagBit(_ tag: String) -> UInt32 { 1 << UInt32(hash(tag) >> 59) }

  /// FNV-1a, the same in every process. Who makes texts collide costs a look at a header.
  private static func hash(_ text: String) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
  }
}

extension Digest256: BitwiseCopyable {}
