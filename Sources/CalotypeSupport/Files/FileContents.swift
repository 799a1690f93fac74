/// A whole file, and its status when it was opened.
package struct FileContents: Sendable {
  /// The status at the time of opening.
  package let status: FileStatus
  /// The bytes: fewer than ``FileStatus/size`` if the file exceeded the limit, or shrank while it was read.
  package let bytes: FileBytes

  /// Describes a file that was read.
  package init(status: FileStatus, bytes: FileBytes) {
    self.status = status
    self.bytes = bytes
  }
}
