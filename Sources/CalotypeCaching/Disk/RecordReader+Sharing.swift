import CalotypeSupport
import FoundationEssentials
import Glibc

/// The files of shared payloads.
extension RecordReader {
  /// The file whose payload a record shares.
  struct SharedPayload {
    /// The name by which the record finds it.
    let path: String
    let size: Int
    /// The length of both files.
    let total: Int
    let identity: UInt64
    let checksum: Checksum
  }

  /// Returns the file whose payload a record shares; `nil` when it shares none, or one of the files is missing or damaged.
  func sharedPayload(of digest: Digest256) throws(FileSystemError) -> SharedPayload? {
    do throws(FileSystemError) {
      guard let (file, header) = try openRecord(layout.record(digest)), let header, header.isShared else {
        return nil
      }
      let path = layout.payload(digest, header.payloadChecksum)
      guard let status = try files.status(path), status.kind == .regular else { return nil }
      return SharedPayload(
        path: path, size: status.size, total: file.status.size + status.size, identity: status.identity,
        checksum: header.payloadChecksum)
    } catch {
      // Not a file.
      if error.code == ELOOP || error.code == EINVAL || error.code == ENXIO { return nil }
      throw error
    }
  }

  /// A file with the payload of a record.
  struct PayloadFile {
    /// A name of the file.
    let path: String
    let file: any FileReading
    /// Where the payload begins.
    let offset: Int
    /// Whether it is another file than that of the record.
    let isShared: Bool
  }

  /// Opens the file with the payload of a record, which is not verified; `nil` when there is none.
  func payloadFile(of digest: Digest256) throws(FileSystemError) -> PayloadFile? {
    guard let (file, header) = try openRecord(layout.record(digest)), let header else { return nil }
    return try payloadFile(of: digest, file, header)
  }

  /// Opens the file with the payload of an open record.
  func payloadFile(
    of digest: Digest256, _ file: any FileReading, _ header: RecordHeader
  ) throws(FileSystemError) -> PayloadFile? {
    guard header.isShared else {
      return PayloadFile(
        path: layout.record(digest), file: file, offset: header.length, isShared: false)
    }
    let other = layout.payload(digest, header.payloadChecksum)
    guard let shared = try files.open(other) else { return nil }
    let prefix = try shared.read(at: 0, count: RecordHeader.fixedLength)
    let start = prefix.withUnsafeBytes { RecordHeader.payloadStart(prefix: $0, fileSize: shared.status.size) }
    guard let start else { return nil }
    return PayloadFile(path: other, file: shared, offset: start, isShared: true)
  }
}

extension RecordReader.PayloadFile {
  /// Returns whether the payload has exactly these bytes. Reads in pieces, so that any size needs little memory.
  func isEqual(to data: Data) throws(FileSystemError) -> Bool {
    guard file.status.size - offset == data.count else { return false }
    var position = 0
    while position < data.count {
      let piece = try file.read(at: offset + position, count: min(1 << 20, data.count - position))
      guard piece.count > 0 else { return false }
      let isEqual = piece.withUnsafeBytes { left in
        data.withUnsafeBytes { right in
          guard let start = left.baseAddress, let other = right.baseAddress else { return false }
          return memcmp(start, other + position, left.count) == 0
        }
      }
      guard isEqual else { return false }
      position += piece.count
    }
    return true
  }
}
