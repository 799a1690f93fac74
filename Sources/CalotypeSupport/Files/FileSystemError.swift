import Glibc

/// A system call on a file that failed.
package struct FileSystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the system call.
  package let operation: String
  /// The path of the file or folder.
  package let path: String
  /// The `errno`.
  package let code: Int32

  /// Describes a failed call.
  package init(operation: String, path: String, code: Int32) {
    self.operation = operation
    self.path = path
    self.code = code
  }

  /// Describes a failed call.
  package init(operation: String, path: String, _ error: SystemError) {
    self.init(operation: operation, path: path, code: error.code)
  }

  /// A file or folder belongs to another user, who could have written anything to it. It is not used.
  package static func untrustedOwner(_ path: String) -> FileSystemError {
    FileSystemError(operation: ownerCheck, path: path, code: EPERM)
  }

  /// Takes the place of the system call in ``untrustedOwner(_:)``.
  package static let ownerCheck = "owner"

  /// The free space of a file system is below a floor that this program keeps.
  package static func belowFreeSpaceFloor(_ path: String) -> FileSystemError {
    FileSystemError(operation: freeSpaceCheck, path: path, code: ENOSPC)
  }

  /// Takes the place of the system call in ``belowFreeSpaceFloor(_:)``.
  package static let freeSpaceCheck = "free space"

  /// The call, the path and the text of the error.
  package var description: String { "\(operation) \(path): \(SystemError.text(of: code))" }
}
