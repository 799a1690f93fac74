import Calotype
import CalotypeSupport

/// An error of the command itself.
enum CommandError: CalotypeError, CustomStringConvertible {
  case unwritableOutput(path: String, reason: String)
  case malformedURL(String)
  case refusedFile(String)
  case notRemote
  case lineTooLong(limit: Int)

  var code: String {
    switch self {
    case .unwritableOutput: "unwritableOutput"
    case .malformedURL: "invalidURL"
    case .refusedFile: "addressRefused"
    case .notRemote: "unsupportedScheme"
    case .lineTooLong: "invalidURL"
    }
  }

  var isRetryable: Bool { false }

  var description: String {
    switch self {
    case .unwritableOutput(let path, let reason): "cannot write \(path): \(reason)"
    case .malformedURL: "not a URL; check for spaces and a missing host"
    case .refusedFile:
      "--public-only refuses file: URLs, and paths in lists; pass the path as an argument if the file is yours"
    case .notRemote: "only http and https URLs can be prefetched"
    case .lineTooLong(let limit): "the line is longer than \(limit) bytes; no URL is"
    }
  }
}
