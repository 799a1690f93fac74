import Glibc

/// The `errno` of a failed system call.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The `errno`.
  package let code: Int32

  /// Wraps an `errno`.
  package init(_ code: Int32) {
    self.code = code
  }

  /// The text of the error, such as "No space left on device".
  package var reason: String { Self.text(of: code) }

  /// Same as ``reason``.
  package var description: String { reason }

  /// The text of an `errno`, such as "No space left on device".
  package static func text(of code: Int32) -> String {
    // `strerror` is not thread-safe; the XSI variant writes into our buffer.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
      guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else {
        return "errno \(code)"
      }
      return String(cString: base)
    }
  }
}
