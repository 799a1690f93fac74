import CXattr
import Glibc

/// The extended attributes of a file (xattr(7)), which hold access control lists as well.
struct FileAttributes {
  /// The most bytes of all names, and of a value: those of Linux.
  private static let limit = 64 << 10

  private var values: [(name: [CChar], value: [UInt8])] = []

  /// Reads the attributes of an open file; `nil` if they cannot be read. A file system without any has none.
  init?(of descriptor: Int32) {
    var names = [CChar](repeating: 0, count: Self.limit)
    let length = flistxattr(descriptor, &names, names.count)
    if length < 0 { guard errno == ENOTSUP else { return nil } }
    for name in names.prefix(max(0, length)).split(separator: 0) {
      let name = Array(name) + [0]
      var value = [UInt8](repeating: 0, count: Self.limit)
      let count = fgetxattr(descriptor, name, &value, value.count)
      guard count >= 0 else { return nil }
      values.append((name, Array(value.prefix(count))))
    }
  }

  /// Gives another file the attributes. Returns false, with `errno`, if that is not possible.
  func write(to descriptor: Int32) -> Bool {
    values.allSatisfy { fsetxattr(descriptor, $0.name, $0.value, $0.value.count, 0) == 0 }
  }
}
