/// The size of a file system and its free space, in bytes.
package struct FileSystemSpace: Hashable, Sendable {
  /// All of it, used or not.
  package var total: Int
  /// What programs without privileges may still use.
  package var available: Int

  /// Describes a file system.
  package init(total: Int, available: Int) {
    self.total = total
    self.available = available
  }
}
