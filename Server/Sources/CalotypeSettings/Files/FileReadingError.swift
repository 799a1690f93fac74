import Glibc

/// The reason why a file cannot be read.
public enum FileReadingError: Error, Hashable, Sendable {
  /// A call of the system failed, with its `errno`.
  case system(errno: CInt)
  /// The path is a folder, a device, a pipe or a socket.
  case notRegular
  /// The file has more bytes than the limit.
  case tooLong(limit: Int)
  /// The file is not UTF-8.
  case notText
}

extension FileReadingError: CustomStringConvertible {
  /// The reason in a few words.
  public var description: String {
    switch self {
    case .system(let number): strerror(number).map { String(cString: $0) } ?? "error \(number)"
    case .notRegular: "it is no regular file"
    case .tooLong(let limit): "it has more than \(limit) bytes"
    case .notText: "it is not UTF-8"
    }
  }
}
