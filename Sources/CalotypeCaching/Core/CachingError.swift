import CalotypeSupport
import Glibc

/// A failure of a cache. Misses, expired records and damaged records are not errors: they read as `nil`.
@nonexhaustive public enum CachingError: Error, Hashable, Codable, Sendable {
  /// A record is larger than the cache may hold; nothing was stored.
  case recordTooLarge(bytes: Int, limit: Int)
  /// The text of the key is longer than a record can carry; nothing was stored. Lengths in bytes.
  case keyTooLong(bytes: Int, limit: Int)
  /// The metadata is longer than a record can carry; nothing was stored. Lengths in bytes.
  case metadataTooLarge(bytes: Int, limit: Int)
  /// The queue of unwritten records is full; nothing was stored. Bytes in the queue, and their limit.
  case queueFull(bytes: Int, limit: Int)
  /// Too many calls already wait for the cache: their number, which is the limit. Nothing was read or stored.
  case overloaded(waiting: Int)
  /// Another process has held the lock of the folder for too long. Later stores fail at once until the lock can be
  /// taken again.
  case locked(path: String)
  /// No space or quota left on the device, even after old records were evicted.
  case diskFull(path: String)
  /// The record would leave less free space on the file system than ``DiskCache/Configuration/freeSpaceFloor``, and
  /// evicting records cannot change that. Nothing was stored.
  case belowFreeSpaceFloor(path: String)
  /// The file system is mounted read-only.
  case readOnly(path: String)
  /// The cache is read-only, as a ``ReadOnlyCache`` is; nothing was stored or removed.
  case cacheIsReadOnly
  /// The user of the process may not read or write there.
  case permissionDenied(path: String)
  /// The folder, or a file in it, belongs to another user, who could have planted records. It is not used.
  case foreignOwner(path: String)
  /// Any other failure of the file system: the system call, the path and the `errno`.
  case fileSystem(operation: String, path: String, errno: Int32)
  /// The file system did not answer in time: the operation, the path and the timeout. Thrown immediately while all
  /// reader threads are stalled. The operation may still end later.
  case stalled(operation: String, path: String, after: Duration)
  /// A failure outside the file system, such as that of a remote cache's server: the operation, the reason, and whether
  /// a retry can help. For other implementations of ``DataCaching``; ``DiskCache`` never throws it.
  case failed(operation: String, reason: String, isRetryable: Bool)
  /// The task was cancelled. Operations that had begun continue.
  case cancelled

  /// A stable name for logs, metrics and machine-readable output.
  public var code: String {
    switch self {
    case .recordTooLarge: "cacheRecordTooLarge"
    case .keyTooLong: "cacheKeyTooLong"
    case .metadataTooLarge: "cacheMetadataTooLarge"
    case .queueFull: "cacheQueueFull"
    case .overloaded: "cacheOverloaded"
    case .locked: "cacheLocked"
    case .diskFull: "cacheDiskFull"
    case .belowFreeSpaceFloor: "cacheFreeSpaceFloor"
    case .readOnly: "cacheReadOnly"
    case .cacheIsReadOnly: "cacheOnlyRead"
    case .permissionDenied: "cachePermissionDenied"
    case .foreignOwner: "cacheForeignOwner"
    case .fileSystem: "cacheFileSystem"
    case .stalled: "cacheStalled"
    case .failed: "cacheFailed"
    case .cancelled: "cancelled"
    }
  }

  /// Whether the same call may succeed later without a change of the configuration.
  public var isRetryable: Bool {
    switch self {
    case .queueFull, .overloaded, .locked, .diskFull, .belowFreeSpaceFloor, .stalled, .cancelled: true
    case .fileSystem(_, _, let code):
      [EIO, EAGAIN, EINTR, EBUSY, EMFILE, ENFILE, ENOMEM, ESTALE, ENOENT].contains(code)
    case .failed(_, _, let isRetryable): isRetryable
    case .recordTooLarge, .keyTooLong, .metadataTooLarge, .readOnly, .cacheIsReadOnly, .permissionDenied,
      .foreignOwner:
      false
    }
  }
}

extension CachingError: CustomStringConvertible {
  /// The failure, its place and a remedy.
  public var description: String {
    switch self {
    case .recordTooLarge(let bytes, let limit):
      "a record of \(bytes) bytes does not fit into a cache of \(limit) bytes: raise the byte limit"
    case .keyTooLong(let bytes, let limit):
      "a cache key of \(bytes) bytes is longer than the \(limit) a record can carry: use a shorter key"
    case .metadataTooLarge(let bytes, let limit):
      "metadata of \(bytes) bytes are more than the \(limit) a record can carry: store less beside the data"
    case .queueFull(let bytes, let limit):
      "\(bytes) bytes wait to be written to the cache, and no more than \(limit) may: store more slowly, or wait for"
        + " each store"
    case .overloaded(let waiting):
      "\(waiting) calls already wait for the cache: make fewer at a time, or raise the limit"
    case .locked(let path):
      "another process keeps the lock \(path): is it stopped?"
    case .diskFull(let path):
      "no space left for the cache at \(path): free space or lower the byte limit"
    case .belowFreeSpaceFloor(let path):
      "too little free space for the cache at \(path): free space, or lower DiskCache.Configuration.freeSpaceFloor"
    case .readOnly(let path):
      "the cache at \(path) is on a read-only file system: choose another folder"
    case .cacheIsReadOnly:
      "this cache is only read: store into another tier, or change what fills it"
    case .permissionDenied(let path):
      "no permission for the cache at \(path): change its owner or mode, or choose another folder"
    case .foreignOwner(let path):
      "\(path) belongs to another user, who could have put anything there: change its owner, choose another folder, or"
        + " name the owner in DiskCache.Configuration.trustedOwners"
    case .fileSystem(let operation, let path, let code):
      "\(operation) failed at \(path): \(SystemError.text(of: code))"
    case .stalled(let operation, let path, let time):
      "\(operation) did not end within \(time) at \(path): is the device or the server it is on gone?"
    case .failed(let operation, let reason, _):
      "\(operation) failed: \(reason)"
    case .cancelled:
      "cancelled before the cache answered"
    }
  }
}
