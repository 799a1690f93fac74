import Calotype
import Glibc

/// A failure of the terminal, or of a list that is read for it.
package enum TerminalError: CalotypeError, CustomStringConvertible {
  case unwritable(reason: String)
  case unreadableList(path: String, reason: String)

  /// The error of the write that failed last, by `errno`.
  static var lastWrite: TerminalError { .unwritable(reason: String(cString: strerror(errno))) }

  package var code: String {
    switch self {
    case .unwritable: "unwritableOutput"
    case .unreadableList: "unreadableList"
    }
  }

  package var isRetryable: Bool { false }

  package var description: String {
    switch self {
    case .unwritable(let reason): "cannot write the terminal: \(reason)"
    case .unreadableList(let path, let reason): "cannot read the list \(path): \(reason)"
    }
  }
}
