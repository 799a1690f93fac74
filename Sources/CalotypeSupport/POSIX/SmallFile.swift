import Glibc

/// Short files that the kernel makes, as in `/proc` and `/sys`.
package enum SmallFile {
  /// Returns up to the first 64 KiB of a file as text, or `nil` when the file cannot be opened or read.
  package static func text(_ path: String) -> String? {
    guard let file = try? FileDescriptor(path, O_RDONLY) else { return nil }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let length = bytes.withUnsafeMutableBytes { try? POSIX.read(file.number, into: $0) }
    return length.map { String(decoding: bytes[..<$0], as: UTF8.self) }
  }
}
