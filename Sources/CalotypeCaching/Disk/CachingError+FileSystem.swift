import CalotypeSupport
import Glibc

extension CachingError {
  /// Translates a failed system call.
  init(_ error: FileSystemError) {
    switch error.code {
    case ENOSPC where error.operation == FileSystemError.freeSpaceCheck:
      self = .belowFreeSpaceFloor(path: error.path)
    case ENOSPC, EDQUOT: self = .diskFull(path: error.path)
    case EWOULDBLOCK where error.operation == "flock": self = .locked(path: error.path)
    case EPERM where error.operation == FileSystemError.ownerCheck: self = .foreignOwner(path: error.path)
    case EROFS: self = .readOnly(path: error.path)
    case EACCES, EPERM: self = .permissionDenied(path: error.path)
    default: self = .fileSystem(operation: error.operation, path: error.path, errno: error.code)
    }
  }
}

extension FileSystemError {
  /// Whether the device, or the quota of the user, has no room for a write.
  var isFullDevice: Bool {
    (code == ENOSPC || code == EDQUOT) && operation != Self.freeSpaceCheck
  }
}
