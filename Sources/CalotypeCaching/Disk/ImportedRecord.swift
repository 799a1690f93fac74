import CalotypeSupport
import FoundationEssentials

/// A record of an archive whose bytes are verified.
struct ImportedRecord: Sendable {
  struct Refusal: Error {
    let reason: String
  }

  let key: CacheKey
  let metadata: RecordMetadata
  /// When it was stored, at most now.
  let created: Date
  /// When it was last read, at most now.
  let accessed: Date
  /// The length of its header in the archive.
  let headerLength: Int
  private let checksum: Checksum

  /// Verifies the bytes of a record.
  ///
  /// - Parameters:
  ///   - raw: The bytes.
  ///   - digest: The digest that the name in the archive tells.
  ///   - accessed: When it was last read, by the archive.
  ///   - now: The present time.
  static func verified(
    _ raw: UnsafeRawBufferPointer, _ digest: Digest256, accessed: Date, now: Date
  ) -> Result<ImportedRecord, Refusal> {
    guard let header = RecordHeader(raw, fileSize: raw.count), !header.isShared else {
      return .failure(Refusal(reason: "it is not a record, or its header is damaged"))
    }
    let key = CacheKey(header.key.text, source: header.key.source)
    guard key.digest == digest else { return .failure(Refusal(reason: "its name is that of another record")) }
    guard header.matches(payload: UnsafeRawBufferPointer(rebasing: raw[header.length...])) else {
      return .failure(Refusal(reason: "its bytes do not match their checksum"))
    }
    let record = ImportedRecord(
      key: key, metadata: header.metadata, created: min(header.created, now), accessed: min(accessed, now),
      headerLength: header.length, checksum: header.payloadChecksum)
    return .success(record)
  }

  /// Returns the header to store before `payload`.
  func header(before payload: Data) -> Data {
    RecordHeader.encode(
      key: key, metadata: metadata, created: created, payload: payload, checksum: checksum)
  }
}
