/// The limits of one archive. An archive beyond them is refused as a whole.
public struct TarLimits: Hashable, Sendable {
  /// Entries of an archive.
  public var entries: Int
  /// Bytes of headers to read for an index, those of pax and GNU included.
  public var headerBytes: Int
  /// Bytes of names that an index keeps in memory.
  public var nameBytes: Int
  /// Indexes to keep in memory; the one that was not used for longest leaves.
  public var archives: Int

  /// 100,000 entries, 256 MiB of headers, 32 MiB of names, 4 archives.
  ///
  /// - Parameters:
  ///   - entries: Entries of an archive.
  ///   - headerBytes: Bytes of headers to read for an index.
  ///   - nameBytes: Bytes of names that an index keeps in memory.
  ///   - archives: Indexes to keep in memory.
  public init(
    entries: Int = 100_000, headerBytes: Int = 256 << 20, nameBytes: Int = 32 << 20, archives: Int = 4
  ) {
    self.entries = entries
    self.headerBytes = headerBytes
    self.nameBytes = nameBytes
    self.archives = archives
  }

  /// Largest single header of pax or GNU, in bytes: paths have 4 KiB at most, attributes 64.
  static let extendedHeaderBytes = 1 << 20
}
