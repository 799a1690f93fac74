package import FoundationEssentials
import Glibc

/// The kind, size and age of a file.
package struct FileStatus: Hashable, Sendable {
  /// The kinds of files that are told apart.
  package enum Kind: Hashable, Sendable {
    /// A file with bytes.
    case regular
    /// A folder.
    case folder
    /// A link, device, pipe or socket.
    case other
  }

  /// The kind.
  package var kind: Kind
  /// Length in bytes.
  package var size: Int
  /// When the file was last modified.
  package var modified: Date
  /// A number that no other file of the same file system has while this one exists.
  package var identity: UInt64
  /// Whether the file still has a name.
  package var isLinked: Bool

  /// Describes a file.
  package init(kind: Kind, size: Int, modified: Date, identity: UInt64, isLinked: Bool = true) {
    self.kind = kind
    self.size = size
    self.modified = modified
    self.identity = identity
    self.isLinked = isLinked
  }

  /// Describes a file by the result of `stat(2)`.
  init(_ status: stat) {
    let kind: Kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .folder
      default: .other
      }
    let modified = Date(
      timeIntervalSince1970: Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9)
    self.init(
      kind: kind, size: Int(status.st_size), modified: modified, identity: UInt64(status.st_ino),
      isLinked: status.st_nlink > 0)
  }
}
