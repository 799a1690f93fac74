import CalotypeSupport
import FoundationEssentials

/// An entry of the index of a ``DiskCache``: 64 bytes, the same in memory and in the file.
struct IndexEntry: BitwiseCopyable, Equatable, Sendable {
  let digest: Digest256
  /// The last known access to the record, in microseconds since 1970. There may have been later ones.
  var accessed: Int64
  /// When it expires, in the same unit; `Int64.max` for never or unknown.
  var expires: Int64
  /// ``size`` and ``mayShare``.
  private var packed: Int64
  /// ``sourceHash(_:)``, or 0 when unknown.
  var source: UInt32
  /// A bit for every tag, or all bits when unknown.
  var tags: UInt32

  /// Length of the file, and of the one whose payload the record shares.
  var size: Int64 {
    get { packed & ~Self.sharingBit }
    set { packed = newValue & ~Self.sharingBit | packed & Self.sharingBit }
  }

  /// Whether there may be a shared payload beside the file of the record.
  var mayShare: Bool {
    get { packed & Self.sharingBit != 0 }
    set { packed = newValue ? packed | Self.sharingBit : packed & ~Self.sharingBit }
  }

  /// Whether an entry that was read from a file may be one.
  var isPlausible: Bool { Self.sizes.contains(size) }

  static let length = 64
  private static let sharingBit: Int64 = 1 << 48
  /// The longest plausible length, so that sums do not overflow, regardless of the contents of the folder.
  static let sizes: ClosedRange<Int64> = 0...1 << 40

  /// Creates an entry of a record whose header was not read.
  init(digest: Digest256, size: Int, accessed: Date) {
    self.digest = digest
    self.accessed = accessed.microseconds
    expires = .max
    packed = min(max(Int64(clamping: size), Self.sizes.lowerBound), Self.sizes.upperBound)
    source = 0
    tags = .max
  }

  /// Creates an entry of a record that is being stored.
  init(key: CacheKey, metadata: RecordMetadata, size: Int, accessed: Date) {
    self.init(digest: key.digest, size: size, accessed: accessed)
    expires = metadata.expires?.microseconds ?? .max
    source = Self.sourceHash(key.source)
    tags = metadata.tags.reduce(0) { $0 | Self.tagBit($1) }
  }

  /// Adds the length of another file, as far as lengths go.
  mutating func add(_ bytes: Int) {
    size += min(max(0, Int64(clamping: bytes)), max(0, Self.sizes.upperBound - size))
  }

  /// Expires at `time`, unless that happens earlier.
  mutating func expire(at time: Date?) {
    if let time { expires = min(expires, time.microseconds) }
  }

  /// Whether the record may belong to a selection; its header decides.
  func mayBe(in selection: CacheSelection) -> Bool {
    switch selection {
    case .source(let text): source == 0 || source == Self.sourceHash(text)
    case .tagged(let text, let tag):
      (source == 0 || source == Self.sourceHash(text)) && tags & Self.tagBit(tag) != 0
    case .sourcePrefix, .host, .origin: true
    case .tag(let tag): tags & Self.tagBit(tag) != 0
    }
  }

  private static func sourceHash(_ text: String) -> UInt32 {
    max(1, UInt32(truncatingIfNeeded: hash(text) >> 32))
  }

  private static func tagBit(_ tag: String) -> UInt32 { 1 << UInt32(hash(tag) >> 59) }

  /// FNV-1a, the same in every process. A forged collision only costs reading a header.
  private static func hash(_ text: String) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
  }
}

extension Digest256: BitwiseCopyable {}
