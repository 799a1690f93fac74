import Glibc

/// Files of the kernel, which have a few lines.
package enum SmallFile {
  /// The first 64 KiB of a file as text; `nil` when it cannot be read.
  package static func text(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    var length = 0
    while length < bytes.count {
      let count = bytes.withUnsafeMutableBytes { buffer in
        read(descriptor, buffer.baseAddress.map { $0 + length }, buffer.count - length)
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, length == 0 { return nil }
      guard count > 0 else { break }
      length += count
    }
    return String(decoding: bytes[..<length], as: UTF8.self)
  }
}
