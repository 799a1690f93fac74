import Glibc

/// Writes text to a descriptor.
struct FileHandleOutput: Sendable {
  /// Standard output. Other programs read its lines while the server runs.
  static let standardOutput = FileHandleOutput(descriptor: STDOUT_FILENO)
  /// Standard error.
  static let standardError = FileHandleOutput(descriptor: STDERR_FILENO)

  let descriptor: Int32

  /// Writes text. Text that nobody takes is dropped.
  func write(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }
}
