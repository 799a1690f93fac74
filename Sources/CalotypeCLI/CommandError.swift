import Calotype
import CalotypeSupport
import Glibc

/// What the command itself cannot do.
enum CommandError: CalotypeError, CustomStringConvertible {
  case unwritableOutput(path: String, reason: String)
  case malformedURL(String)
  case refusedFile(String)
  case notRemote
  case lineTooLong(limit: Int)
  case unreadableList(path: String, reason: String)

  var code: String {
    switch self {
    case .unwritableOutput: "unwritableOutput"
    case .malformedURL: "invalidURL"
    case .refusedFile: "addressRefused"
    case .notRemote: "unsupportedScheme"
    case .lineTooLong: "invalidURL"
    case .unreadableList: "unreadableList"
    }
  }

  /// The terminal does not take what was written just now.
  static var unwritableTerminal: CommandError {
    .unwritableOutput(path: "the terminal", reason: String(cString: strerror(errno)))
  }

  var isRetryable: Bool { false }

  var description: String {
    switch self {
    case .unwritableOutput(let path, let reason): "cannot write \(path): \(reason)"
    case .malformedURL: "not a URL; check for spaces and a missing host"
    case .refusedFile:
      "--public-only refuses file: URLs and paths of lists; name the path if it is a file of yours"
    case .notRemote: "only what is loaded by http or https can be prefetched"
    case .lineTooLong(let limit): "the line is longer than \(limit) bytes, which no URL is"
    case .unreadableList(let path, let reason): "cannot read the list \(path): \(reason)"
    }
  }
}

/// A failure as it is told to people and machines.
struct Failure: Encodable {
  struct Details: Encodable {
    let code: String
    let message: String
  }

  let source: String
  /// Of the list that names the source.
  let line: Int?
  let error: Details

  init(source: String, line: Int? = nil, error: any Error) {
    self.source = RedactedURL.withoutUsers(source)
    self.line = line
    let code = (error as? any CalotypeError)?.code ?? (error is CancellationError ? "cancelled" : "unknown")
    let message = error is CancellationError ? "cancelled" : String(describing: error)
    self.error = Details(code: code, message: RedactedURL.withoutUsers(message))
  }

  func report(asJSON: Bool) {
    if asJSON {
      Output.json(self)
    } else {
      let place = line.map { "line \($0): " } ?? ""
      Output.error("calotype: \(place)\(source): \(error.message)")
    }
  }
}
