import Calotype

/// What the command itself cannot do.
enum CommandError: CalotypeError, CustomStringConvertible {
  case unwritableOutput(path: String, reason: String)
  case malformedURL(String)
  case refusedFile(String)

  var code: String {
    switch self {
    case .unwritableOutput: "unwritableOutput"
    case .malformedURL: "invalidURL"
    case .refusedFile: "addressRefused"
    }
  }

  var isRetryable: Bool { false }

  var description: String {
    switch self {
    case .unwritableOutput(let path, let reason): "cannot write \(path): \(reason)"
    case .malformedURL: "not a URL; check for spaces and a missing host"
    case .refusedFile: "--public-only refuses file: URLs; name the path if it is a file of yours"
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
  let error: Details

  init(source: String, error: any Error) {
    self.source = source
    let code = (error as? any CalotypeError)?.code ?? (error is CancellationError ? "cancelled" : "unknown")
    let message = error is CancellationError ? "cancelled" : String(describing: error)
    self.error = Details(code: code, message: message)
  }

  func report(asJSON: Bool) {
    if asJSON {
      Output.json(self)
    } else {
      Output.error("calotype: \(source): \(error.message)")
    }
  }
}
