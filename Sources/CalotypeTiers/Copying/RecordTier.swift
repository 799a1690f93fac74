import CalotypeCaching
import FoundationEssentials

/// A tier whose records can be listed, read and stored as they are: with their keys, metadata, times and checksums.
///
/// Records are named by the digests of their keys, as 64 lower-case hexadecimal digits.
package protocol RecordTier: Sendable {
  /// Whether the tier is shared by machines: then records that may not be shared stay out.
  var isShared: Bool { get }
  /// The most bytes of a record that it stores.
  var recordLimit: Int { get }

  /// Returns the next records, and where the page behind them begins: `nil` at the end.
  func page(after position: String?) async throws -> (items: [RecordItem], next: String?)

  /// The place of a record, for messages.
  func place(_ digest: String) -> String

  /// Returns the header of a record, `nil` if there is none or it is damaged.
  func head(_ digest: String) async throws -> RecordHead?

  /// Returns a record, all of which is verified.
  ///
  /// - Returns: `nil` if there is none.
  /// - Throws: `PortableRecord.Damage`, among other errors.
  func record(_ digest: String) async throws -> StoredRecord?

  /// Stores a record.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - digest: The digest of its key.
  ///   - previous: The record that it replaces, as ``head(_:)`` returned it.
  func store(_ record: StoredRecord, digest: String, over previous: RecordHead?) async throws -> RecordStoring

  /// Waits until stored records are durable, and ends connections.
  func close() async throws
}

/// A record in a listing.
package struct RecordItem: Sendable {
  /// The digest of its key.
  package let digest: String
  /// Its length, as far as known.
  package let bytes: Int
  /// Its header, where the listing has it.
  package let head: RecordHead?
}

/// The outcome of storing a record.
package enum RecordStoring: Hashable, Sendable {
  case stored
  /// The tier has the same record, or a newer one.
  case superseded
  case expired
  /// There is no room for it.
  case noRoom
}
