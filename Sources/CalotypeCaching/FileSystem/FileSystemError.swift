import Glibc

/// A system call that failed.
public struct FileSystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was tried: the name of the system call.
  public let operation: String
  /// Where.
  public let path: String
  /// The `errno`.
  public let code: Int32

  /// Describes a failed call.
  public init(operation: String, path: String, code: Int32) {
    self.operation = operation
    self.path = path
    self.code = code
  }

  /// That a file or folder belongs to another user, who could have put anything there: it is not used.
  public static func untrustedOwner(_ path: String) -> FileSystemError {
    FileSystemError(operation: ownerCheck, path: path, code: EPERM)
  }

  /// Stands where the system call would.
  static let ownerCheck = "owner"

  /// The call, the path and the text of the error.
  public var description: String { "\(operation) \(path): \(FileSystemError.text(of: code))" }

  /// The text of an `errno`, such as "No space left on device".
  static func text(of code: Int32) -> String {
    // `strerror` is not thread-safe; the XSI variant writes into our buffer.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
      guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else {
        return "errno \(code)"
      }
      return String(cString: base)
    }
  }
}

extension CachingError {
  /// The meaning of a failed call for the user of a cache.
  init(_ error: FileSystemError) {
    switch error.code {
    case ENOSPC, EDQUOT: self = .diskFull(path: error.path)
    case EWOULDBLOCK where error.operation == "flock": self = .locked(path: error.path)
    case EPERM where error.operation == FileSystemError.ownerCheck: self = .foreignOwner(path: error.path)
    case EROFS: self = .readOnly(path: error.path)
    case EACCES, EPERM: self = .permissionDenied(path: error.path)
    default: self = .fileSystem(operation: error.operation, path: error.path, errno: error.code)
    }
  }
}
