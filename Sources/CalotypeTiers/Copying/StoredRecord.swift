package import CalotypeCaching
package import FoundationEssentials

/// The bytes of a record, header and data, all of which are verified.
package struct StoredRecord: Sendable {
  package let head: RecordHead
  package let bytes: Data
  /// When it was last read; `nil` where that is not known.
  package let accessed: Date?

  /// Verifies the bytes of a record: its format, its checksums and its lengths, and that its key has the digest.
  ///
  /// - Throws: `PortableRecord.Damage`.
  package init(_ bytes: Data, digest: String, accessed: Date? = nil) throws(PortableRecord.Damage) {
    guard let head = RecordHead(bytes, of: bytes.count, digest: digest) else { throw .header }
    _ = try PortableRecord.decode(bytes, for: head.key)
    self.head = head
    self.bytes = bytes
    self.accessed = accessed
  }
}
